import { checkedPassword } from '../../adapters/http/api/accounts/password-header.ts';
import { keyMeta } from '../../adapters/http/openapi/documentation.ts';

/** The name of the plugin in `plugin`. */
export const pluginName = 'ThisService';

/**
 * The plugin of Swagger UI that adapts the document to the service behind the page. Calls go to the host of the page, the
 * only one that its policy allows: people open it under another name or path than the public address, too. The key for
 * development is entered where the service has it, and the password of the example, which the document cannot require.
 */
export const plugin = `
const ${pluginName} = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update, { authActions }) => (api) => {
          for (const { parameters = [] } of Object.values(api.paths ?? {}).flatMap(Object.values))
            for (const parameter of parameters)
              if (parameter.name === 'password') parameter.example = ${JSON.stringify(checkedPassword.example)};
          const url = new URL('.', location.href).href.replace(/\\/$/, '');
          const others = (api.servers ?? []).filter((server) => /^https?:/.test(server.url) && server.url !== url);
          const updated = update({ ...api, servers: [{ url, description: 'The host of this page' }, ...others] });
          const [username, password] = document.querySelector('meta[name="${keyMeta}"]').content.split(':');
          const schema = api.components?.securitySchemes?.basic;
          if (password && schema) authActions.authorize({ basic: { schema, value: { username, password } } });
          return updated;
        },
      },
    },
  },
});
`;
