/// Descriptions of models for people: a model's graph and what a session made of it, as JSON and as a page.
module dev.millrace.inspect {
    requires transitive dev.millrace.session;
    requires transitive tools.jackson.core;
    requires static transitive org.jspecify;

    exports dev.millrace.inspect;
}
