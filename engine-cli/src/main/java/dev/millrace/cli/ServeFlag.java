package dev.millrace.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The flags of {@code serve}. */
enum ServeFlag {
    CONFIG(
            Kind.VALUE,
            "FILE",
            "A YAML file with flags, such as http-port: 8000, and folders. Flags of the command line go before those of"
                    + " the environment, and those before the file's."),
    HOST(Kind.VALUE, "ADDRESS", "The address to listen at (default: 127.0.0.1)."),
    HTTP_PORT(Kind.VALUE, "PORT", "The port of HTTP; 0 for any (default: 8000)."),
    GRPC_PORT(Kind.VALUE, "PORT", "The port of gRPC; 0 for any (default: 8001)."),
    METRICS_PORT(Kind.VALUE, "PORT", "The port of metrics; 0 for any (default: 8002)."),
    CONTROL(
            Kind.VALUE,
            "MODE",
            "How changes of the folders are learnt of: NONE (default), POLL, or EXPLICIT by requests."),
    LOAD(Kind.LIST, "MODEL", "A model to load at the start, with --control EXPLICIT; may be given several times."),
    POLL_SECONDS(Kind.VALUE, "N", "The time between two looks (default: 15)."),
    MODEL(
            Kind.LIST,
            "NAME=SOURCE",
            "A model that is served as NAME and comes from a source, such as hf:ORG/NAME/onnx/model.onnx; may be given"
                    + " several times."),
    TOKEN_FILE(
            Kind.VALUE,
            "FILE",
            "The file of the bearer tokens, one of which requests need (default: none is needed). A line is a token,"
                    + " and may limit it to models: TOKEN infer=NAMES admin=NAMES."),
    TLS_CERTIFICATE(Kind.VALUE, "FILE", "The certificate chain of TLS, as PEM."),
    TLS_KEY(Kind.VALUE, "FILE", "The private key of TLS, as PEM."),
    TLS_CLIENTS(Kind.VALUE, "FILE", "The authorities, as PEM, whose clients are let in (default: all clients are)."),
    MAX_BODY(Kind.VALUE, "BYTES", "The most bytes of a body or message (default: 2147483647)."),
    MAX_REQUESTS(Kind.VALUE, "N", "The requests that each protocol handles at once (default: 4096)."),
    HTTP_COMPRESSION(
            Kind.VALUE,
            "LEVEL",
            "How answers by HTTP are compressed for clients that accept it: NONE, LOW (default), MEDIUM or HIGH."),
    GRPC_COMPRESSION(
            Kind.VALUE,
            "LEVEL",
            "How answers by gRPC are compressed for clients that accept it: NONE (default), LOW, MEDIUM or HIGH."),
    ACCESS_LOG("Write a line for each request to the log."),
    NO_DASHBOARD("Leave out the page for operators at /ui."),
    TELEMETRY(
            "Send traces by OpenTelemetry's protocol, as the variables OTEL_* say. millrace-opentelemetry has to be on"
                    + " the class path."),
    GENAI_TELEMETRY("Name generations in metrics and traces as OpenTelemetry does (gen_ai.*). The names may change."),
    DRAIN_SECONDS(Kind.VALUE, "N", "The time that requests have to end when the server ends (default: 30)."),
    THREADS(Kind.VALUE, "N", "Threads of the engine (default: all processors)."),
    MEMORY_BUDGET(Kind.VALUE, "BYTES", "The most bytes that models hold (default: no limit)."),
    CONTEXT_CACHE(Kind.VALUE, "FOLDER", "The context cache, which keeps what is compiled."),
    PREPARE(
            Kind.VALUE,
            "FOLDER",
            "Instead of serving, load all models, answer some requests of each, and leave caches for faster starts in"
                    + " this folder.");

    /** How often a flag has a value. */
    enum Kind {
        /** Never: it is given or not. */
        SWITCH,
        /** Once. */
        VALUE,
        /** Once each time that it is given. */
        LIST
    }

    private final Kind kind;
    private final String label;
    private final String description;

    ServeFlag(String description) {
        this(Kind.SWITCH, "", description);
    }

    ServeFlag(Kind kind, String label, String description) {
        this.kind = kind;
        this.label = label;
        this.description = description;
    }

    Kind kind() {
        return kind;
    }

    /** The name of the value in the help. */
    String label() {
        return label;
    }

    String description() {
        return description;
    }

    /** The key in a configuration, such as {@code http-port}. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The flag on the command line, such as {@code --http-port}. */
    String flag() {
        return "--" + key();
    }

    /** The environment variable, such as {@code MILLRACE_SERVE_HTTP_PORT}. */
    String variable() {
        return "MILLRACE_SERVE_" + name();
    }

    /** Returns the flag that is written so on the command line, or null. */
    static @Nullable ServeFlag find(String flag) {
        for (ServeFlag each : values()) {
            if (each.flag().equals(flag)) {
                return each;
            }
        }
        return null;
    }
}
