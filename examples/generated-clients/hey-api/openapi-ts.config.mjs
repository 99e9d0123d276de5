// With extensions in imports, so that Node.js runs the client without a bundler.
export default { input: '../openapi.json', output: { path: 'client', module: { extension: '.ts' } } };
