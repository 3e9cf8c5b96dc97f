/// What an execution provider is, and the partitioner; how words are chosen by their scores.
module dev.millrace.providers.spi {
    requires transitive dev.millrace.scheduler;
    requires static transitive org.jspecify;

    exports dev.millrace.providers.guard to
            dev.millrace.session;
    exports dev.millrace.providers.partition;
    exports dev.millrace.providers.search to
            dev.millrace.providers.cpu,
            dev.millrace.session;
    exports dev.millrace.providers.spi;
    exports dev.millrace.providers.text to
            dev.millrace.extensions,
            dev.millrace.providers.cpu;
}
