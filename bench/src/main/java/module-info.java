/// Benchmarks, and the comparison with ONNX Runtime.
module dev.millrace.bench {
    requires com.google.protobuf;
    requires com.microsoft.onnxruntime;
    requires dev.millrace.cli;
    requires dev.millrace.kernels;
    requires dev.millrace.server;
    requires dev.millrace.session;
    requires dev.millrace.text;
    requires info.picocli;
    requires io.grpc;
    requires io.grpc.netty;
    requires io.grpc.stub;
    requires java.management;
    requires jdk.httpserver;
    requires jdk.management;
    requires jmh.core;
    requires tools.jackson.core;
    requires static transitive org.jspecify;

    exports dev.millrace.bench.server;

    opens dev.millrace.bench to
            info.picocli;
    opens dev.millrace.bench.agree to
            info.picocli;
    opens dev.millrace.bench.flag to
            info.picocli;
    opens dev.millrace.bench.kernels to
            info.picocli;
    opens dev.millrace.bench.serve to
            info.picocli;
    opens dev.millrace.bench.server to
            info.picocli;
    opens dev.millrace.bench.suite to
            info.picocli;
    opens dev.millrace.bench.sweep to
            info.picocli;

    uses dev.millrace.bench.server.PeerService;

    provides dev.millrace.bench.server.PeerService with
            dev.millrace.bench.server.PlainService;
    provides dev.millrace.cli.Subcommand with
            dev.millrace.bench.BenchCommand,
            dev.millrace.bench.agree.AgreeCommand;
}
