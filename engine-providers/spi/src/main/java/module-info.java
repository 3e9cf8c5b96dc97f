/// What an execution provider is, and the partitioner.
module dev.millrace.providers.spi {
    requires transitive dev.millrace.scheduler;
    requires static transitive org.jspecify;

    exports dev.millrace.providers.partition;
    exports dev.millrace.providers.spi;
}
