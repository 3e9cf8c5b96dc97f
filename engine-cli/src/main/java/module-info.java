/// The command line.
module dev.millrace.cli {
    requires transitive dev.millrace.inspect;
    requires transitive dev.millrace.session;
    requires dev.millrace.models;
    requires dev.millrace.server;
    requires dev.millrace.text;
    requires transitive info.picocli;
    requires java.logging;
    requires java.management;
    requires jdk.management;
    requires me.tongfei.progressbar;
    requires org.snakeyaml.engine;
    requires tools.jackson.core;
    requires static transitive org.jspecify;

    exports dev.millrace.cli;
    exports dev.millrace.cli.conformance;
    exports dev.millrace.cli.io;
    exports dev.millrace.cli.model;

    opens dev.millrace.cli to
            info.picocli;

    uses dev.millrace.cli.Subcommand;
    uses dev.millrace.providers.spi.ProviderFactory;
}
