/// Meters of an engine's requests, for Micrometer.
module dev.millrace.micrometer {
    requires transitive dev.millrace.session;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.millrace.micrometer;
}
