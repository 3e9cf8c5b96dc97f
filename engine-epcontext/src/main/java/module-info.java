/// Context models and binaries, and the workspaces that share them among sessions.
module dev.millrace.epcontext {
    requires dev.millrace.memory;
    requires transitive dev.millrace.providers.spi;
    requires static transitive org.jspecify;

    exports dev.millrace.epcontext;
    exports dev.millrace.epcontext.binary;
    exports dev.millrace.epcontext.cache;
}
