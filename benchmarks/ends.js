// Preloaded into a server that nobody ends politely: at SIGTERM it exits, and so writes its profile.
process.once('SIGTERM', () => process.exit());
