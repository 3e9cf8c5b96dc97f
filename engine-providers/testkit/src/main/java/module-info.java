/// What the author of a provider tests it with.
module dev.millrace.providers.testkit {
    requires transitive dev.millrace.providers.spi;
    requires org.junit.jupiter.api;
    requires static transitive org.jspecify;

    uses dev.millrace.providers.spi.ProviderFactory;

    exports dev.millrace.providers.testkit;
    exports dev.millrace.providers.testkit.device;
}
