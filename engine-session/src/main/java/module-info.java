/// The public API: engines, sessions, requests and the compiler of context models.
module dev.millrace.session {
    requires dev.millrace.memory;
    requires transitive dev.millrace.epcontext;
    requires transitive reactor.core;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;

    exports dev.millrace.session;
    exports dev.millrace.session.generate;
    exports dev.millrace.session.json to
            dev.millrace.text;

    uses dev.millrace.providers.spi.ProviderFactory;
}
