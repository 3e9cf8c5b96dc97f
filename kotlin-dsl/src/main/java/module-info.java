/// The Kotlin API of the engine: a DSL, suspending functions and flows.
module dev.millrace.kotlin {
    requires transitive dev.millrace.models;
    requires transitive dev.millrace.session;
    requires transitive kotlin.stdlib;
    requires transitive kotlinx.coroutines.core;
    requires kotlinx.coroutines.reactive;
    requires kotlinx.coroutines.reactor;
    requires static transitive dev.millrace.pipelines;
    requires static transitive dev.millrace.text;
    requires static transitive org.jspecify;

    exports dev.millrace.kotlin;
    exports dev.millrace.kotlin.graph;
}
