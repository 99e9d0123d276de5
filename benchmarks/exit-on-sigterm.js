// Preloaded into a server without signal handlers: exits regularly on SIGTERM, so that Node.js writes the profile.
process.once('SIGTERM', () => process.exit());
