package dev.millrace.server;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A server in a process of its own, whose resources a test looks at, and which it may kill. */
final class ServerProcess implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int http;
    private final int grpc;

    private ServerProcess(Process process, List<Integer> ports) {
        this.process = process;
        http = ports.getFirst();
        grpc = ports.getLast();
    }

    /** Skips the test unless it is asked for. */
    static void assumeSoak() {
        Assumptions.assumeTrue(
                Boolean.getBoolean("millrace.soak"), "takes minutes, and runs only with -Dmillrace.soak=true");
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/status")), "there is no /proc to look at");
    }

    /** Starts a server that has loaded the folder {@code models} of a folder; the context cache lies beside it. */
    static ServerProcess start(Path folder) throws IOException {
        Process process = new OwnJvm(Main.class, folder)
                .options("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch")
                .builder()
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("log.txt").toFile()))
                .start();
        var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String ports = output.readLine();
        if (ports == null) {
            throw new AssertionError("the server has not started: " + Files.readString(folder.resolve("log.txt")));
        }
        return new ServerProcess(
                process, Stream.of(ports.split(" ")).map(Integer::valueOf).toList());
    }

    /** The process. It prints its ports, and ends with its input. */
    static final class Main {
        private Main() {}

        /** @param arguments the folder */
        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            var options = TestServers.cachedOptions(folder)
                    .control(ControlMode.POLL)
                    .pollInterval(Duration.ofMillis(200))
                    .build();
            try (var server = ModelServer.start(options)) {
                System.out.println(server.httpPort() + " " + server.grpcPort());
                while (System.in.read() >= 0) {
                    // nothing is said to it
                }
            }
        }
    }

    int httpPort() {
        return http;
    }

    int grpcPort() {
        return grpc;
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + "/" + path))
                .timeout(LONGEST)
                .POST(BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    /** The resident memory in KiB. */
    long resident() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            String line =
                    lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }

    long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return open.count();
        }
    }

    /** Ends the process at once, as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        client.shutdownNow();
        process.getOutputStream().close();
        process.waitFor();
    }
}
