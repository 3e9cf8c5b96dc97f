/// Models by name: files from a hub, a package registry or an address, kept and checked.
module dev.millrace.models {
    requires java.net.http;
    requires transitive dev.millrace.graph;
    requires static transitive org.jspecify;

    exports dev.millrace.models;
    exports dev.millrace.models.store;
    exports dev.millrace.models.packages to
            dev.millrace.cli;

    uses dev.millrace.models.store.ObjectStoreProvider;
}
