package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.server.tensor.JsonTree;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A Chromium without a window, which a test drives by the browser's debugging protocol. */
final class Browser implements AutoCloseable {
    /** The most pages that follow each other while a condition is awaited. */
    private static final int MOST_PAGES = 10;

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Json>> answers = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();

    private Browser(Process process, Path profile) throws Exception {
        this.process = process;
        URI list = URI.create("http://127.0.0.1:" + port(process, profile) + "/json/list");
        String pages = client.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString())
                .body();
        Json page = Json.read(pages)
                .each()
                .filter(each -> each.at("type").text().equals("page"))
                .findFirst()
                .orElseThrow();
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(page.at("webSocketDebuggerUrl").text()), new Messages())
                .get(30, TimeUnit.SECONDS);
        call("Runtime.enable", Map.of());
        call("Log.enable", Map.of());
    }

    /** Starts the browser that the variable CHROMIUM names, or one in a usual place; the test is skipped where there is none. */
    static Browser start(Path profile) throws Exception {
        Path program = Stream.of(
                        System.getenv("CHROMIUM"),
                        "/usr/bin/chromium",
                        "/usr/bin/chromium-browser",
                        "/usr/bin/google-chrome")
                .filter(Objects::nonNull)
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeThat(program).as("there is no Chromium to show the page").isNotNull();
        Process process = new ProcessBuilder(
                        String.valueOf(program),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + profile,
                        "--window-size=1400,800",
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectErrorStream(true)
                .start();
        try {
            return new Browser(process, profile);
        } catch (Exception | Error e) {
            process.destroyForcibly().waitFor();
            throw e;
        }
    }

    /** Returns the port of the debugging protocol, which the browser writes to its profile once it listens. */
    private static int port(Process process, Path profile) throws IOException, InterruptedException {
        Path file = profile.resolve("DevToolsActivePort");
        for (int i = 0; i < 600; i++) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() >= 2) {
                return Integer.parseInt(lines.getFirst());
            }
            assertThat(process.waitFor(100, TimeUnit.MILLISECONDS))
                    .as("the browser has ended")
                    .isFalse();
        }
        throw new AssertionError("the browser does not listen");
    }

    private final class Messages implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                hear(Json.read(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedStage(null);
        }
    }

    private void hear(Json message) {
        if (message.at("id").value() != null) {
            Objects.requireNonNull(answers.remove((int) message.at("id").number()))
                    .complete(message);
            return;
        }
        String event = message.at("params").text();
        switch (message.at("method").text()) {
            case "Runtime.exceptionThrown" -> complaints.add(event);
            case "Log.entryAdded" -> {
                if (event.contains("level=error")) {
                    complaints.add(event);
                }
            }
            default -> {}
        }
    }

    private Json call(String method, Map<String, ?> parameters) throws Exception {
        Json answered = answer(method, parameters);
        assertThat(answered.at("error").value()).as(method).isNull();
        return answered.at("result");
    }

    /** Returns the answer to a command: its result, or its error. */
    private Json answer(String method, Map<String, ?> parameters) throws Exception {
        int id = calls.incrementAndGet();
        var answer = new CompletableFuture<Json>();
        answers.put(id, answer);
        byte[] message = JsonTree.bytes(Map.of("id", id, "method", method, "params", parameters));
        socket.sendText(new String(message, StandardCharsets.UTF_8), true).get(30, TimeUnit.SECONDS);
        return answer.get(60, TimeUnit.SECONDS);
    }

    void open(URI page) throws Exception {
        call("Page.navigate", Map.of("url", page.toString()));
    }

    /** Returns the value of an expression of JavaScript, as a text. */
    String evaluate(String expression) throws Exception {
        Json answer = call("Runtime.evaluate", evaluation(expression));
        assertThat(answer.at("exceptionDetails").value()).as(expression).isNull();
        return answer.at("result").at("value").text();
    }

    private static Map<String, Object> evaluation(String expression) {
        return Map.of("expression", expression, "awaitPromise", true, "returnByValue", true);
    }

    /** Waits until a condition of JavaScript holds; fails after half a minute. If the page is left meanwhile, the next one is asked. */
    void await(String condition) throws Exception {
        String waiting = """
            new Promise(done => {
              const end = Date.now() + 30000;
              const look = () => (%s) ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 20);
              look();
            })\
            """.formatted(condition);
        Json held = answer("Runtime.evaluate", evaluation(waiting));
        for (int i = 0; i < MOST_PAGES && held.at("error").text().contains("navigated"); i++) {
            held = answer("Runtime.evaluate", evaluation(waiting));
        }
        assertThat(held.at("error").value()).as(condition).isNull();
        if (!held.at("result").at("result").at("value").text().equals("true")) {
            throw new AssertionError(condition + "; the page: " + evaluate("document.body?.innerText"));
        }
    }

    /** The errors of scripts, and requests and contents that the browser refused. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    @Override
    public void close() throws Exception {
        socket.abort();
        client.close();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
    }
}
