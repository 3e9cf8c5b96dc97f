/// Meters and observations of requests, for Micrometer.
module dev.millrace.micrometer {
    requires transitive dev.millrace.session;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires static transitive org.jspecify;

    exports dev.millrace.micrometer;
}
