package dev.millrace.models.http;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client for downloads. It tries again where the network fails or a server is busy, and follows redirects. A token goes
 * to the host of the first address alone.
 */
public final class HttpFetcher implements AutoCloseable {
    private static final int MOST_REDIRECTS = 10;
    private static final int PARTIAL_CONTENT = 206;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
    private static final String SIZE_OF_RANGE = "bytes (\\d{1,18})-\\d{1,18}/(\\d{1,18}|\\*)";

    /** A wait between two attempts. */
    @FunctionalInterface
    public interface Pause {
        void pause(Duration time) throws InterruptedException;
    }

    private final HttpClient client;
    private final int attempts;
    private final Duration patience;
    private final Pause pause;

    /**
     * @param attempts how often a request is tried
     * @param patience the longest time without a byte before an attempt counts as failed
     */
    public HttpFetcher(int attempts, Duration patience, Pause pause) {
        this.attempts = attempts;
        this.patience = patience;
        this.pause = pause;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(patience);
        ProxySelector proxies = ProxySelector.getDefault();
        client = proxies == null ? builder.build() : builder.proxy(proxies).build();
    }

    /**
     * Asks for the headers of an address. Redirects to other hosts are returned, not followed, and so are those that
     * {@code isAnswer} takes.
     *
     * @throws IOException if no attempt was answered
     */
    public HttpReply head(URI uri, @Nullable String token, Predicate<HttpReply> isAnswer) throws IOException {
        return attempt(() -> {
            URI at = uri;
            for (int redirects = 0; ; redirects++) {
                HttpReply reply = send(at, uri, token, "HEAD", null);
                if (!reply.isRedirect() || isAnswer.test(reply)) {
                    return reply;
                }
                URI next = target(reply, redirects);
                if (!origin(next).equals(origin(uri))) {
                    return reply;
                }
                at = next;
            }
        });
    }

    /**
     * Downloads the content of an address, behind what the file holds already.
     *
     * @return the last answer; the file is whole if that is a success
     * @throws IOException if the last attempt ended early
     */
    public HttpReply download(URI uri, @Nullable String token, PartialFile file) throws IOException {
        return attempt(() -> {
            URI at = uri;
            for (int redirects = 0; ; redirects++) {
                HttpReply reply = send(at, uri, token, "GET", file);
                if (!reply.isRedirect()) {
                    if (reply.refusesRange()) {
                        file.restart();
                        throw new IOException("the server has less of the file than was downloaded before");
                    }
                    if (reply.isSuccess() && file.endsEarly()) {
                        throw new IOException("the server sent less than the whole file");
                    }
                    return reply;
                }
                at = target(reply, redirects);
            }
        });
    }

    private interface Exchange {
        HttpReply send() throws IOException;
    }

    private HttpReply attempt(Exchange exchange) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Duration backOff = Duration.ofSeconds(1L << Math.min(attempt - 1, 5));
            try {
                HttpReply reply = exchange.send();
                Duration wanted = reply.retryAfter().orElse(backOff);
                if (!reply.isBusy() || attempt == attempts || wanted.compareTo(LONGEST_PAUSE) > 0) {
                    return reply;
                }
                pause(wanted);
            } catch (IOException e) {
                if (attempt == attempts) {
                    throw e;
                }
                pause(backOff);
            }
        }
    }

    private void pause(Duration time) {
        try {
            pause.pause(time);
        } catch (InterruptedException e) {
            throw cancelled(e);
        }
    }

    private static EngineException cancelled(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new EngineException(Status.CANCELLED, "the thread that downloads was interrupted", e);
    }

    private static URI target(HttpReply reply, int redirects) throws IOException {
        if (redirects == MOST_REDIRECTS) {
            throw new EngineException(Status.FAIL, reply.uri() + " leads on through too many redirects");
        }
        URI next;
        try {
            next = reply.uri().resolve(String.valueOf(reply.header("Location")));
        } catch (IllegalArgumentException e) {
            throw new EngineException(Status.FAIL, reply.uri() + " leads to what is no address", e);
        }
        boolean isWeb = "https".equals(next.getScheme()) || "http".equals(next.getScheme());
        boolean isWeaker = "https".equals(reply.uri().getScheme()) && !"https".equals(next.getScheme());
        if (!isWeb || isWeaker || next.getHost() == null) {
            throw new EngineException(
                    Status.FAIL, reply.uri().getHost() + " leads to an address without encryption, or to none");
        }
        return next;
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getHost() + ":" + uri.getPort();
    }

    private HttpReply send(URI at, URI first, @Nullable String token, String method, @Nullable PartialFile file)
            throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(at)
                .header("User-Agent", "millrace")
                .header("Accept-Encoding", "identity")
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (token != null && origin(at).equals(origin(first))) {
            request.header("Authorization", "Bearer " + token);
        }
        if (file != null && file.bytes() > 0) {
            request.header("Range", "bytes=" + file.bytes() + "-");
        }
        CompletableFuture<HttpResponse<Boolean>> answer =
                client.sendAsync(request.build(), info -> new FileBody(writer(info, file)));
        try {
            HttpResponse<Boolean> response = await(answer, file);
            return new HttpReply(at, response.statusCode(), response.headers());
        } catch (ConnectException e) {
            // the JDK's own exception does not name the host
            var named = new ConnectException("there is no connection to " + at.getAuthority()
                    + "; check the address, the network and the proxy (https.proxyHost)");
            named.initCause(e);
            throw named;
        }
    }

    private static PartialFile.@Nullable Writer writer(HttpResponse.ResponseInfo info, @Nullable PartialFile file) {
        if (file == null || info.statusCode() / 100 != 2) {
            return null;
        }
        long length = info.headers().firstValueAsLong("Content-Length").orElse(-1);
        long start = 0;
        if (info.statusCode() == PARTIAL_CONTENT) {
            String range = info.headers().firstValue("Content-Range").orElse("");
            start = range.matches(SIZE_OF_RANGE) ? Long.parseLong(range.replaceAll(SIZE_OF_RANGE, "$1")) : -1;
        }
        try {
            return file.writer(start, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for an answer for as long as bytes arrive. */
    private HttpResponse<Boolean> await(CompletableFuture<HttpResponse<Boolean>> answer, @Nullable PartialFile file)
            throws IOException {
        long before = file == null ? 0 : file.bytes();
        while (true) {
            try {
                return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                long now = file == null ? before : file.bytes();
                if (now == before) {
                    answer.cancel(true);
                    throw new IOException("no byte has arrived for " + patience.toSeconds() + " seconds", e);
                }
                before = now;
            } catch (InterruptedException e) {
                answer.cancel(true);
                throw cancelled(e);
            } catch (ExecutionException e) {
                EngineException refusal = file == null ? null : file.refusal();
                if (refusal != null) {
                    throw refusal;
                }
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            }
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
