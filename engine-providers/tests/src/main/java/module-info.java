/// The tests that every provider has to pass, for the tests of those who write one.
module dev.millrace.providers.tests {
    requires transitive dev.millrace.session;
    requires transitive dev.millrace.providers.testkit;
    requires transitive org.junit.jupiter.api;
    requires java.management;
    requires static transitive org.jspecify;

    uses dev.millrace.providers.spi.ProviderFactory;

    exports dev.millrace.providers.tests;
    // JUnit calls tests by reflection
    opens dev.millrace.providers.tests to
            org.junit.platform.commons;
}
