package dev.millrace.models.http;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request, without its body.
 *
 * @param uri the address that answered
 */
public record HttpReply(URI uri, int status, HttpHeaders headers) {
    private static final int REQUESTED_RANGE_NOT_SATISFIABLE = 416;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int FIRST_OF_SERVER = 500;

    public @Nullable String header(String name) {
        return headers.firstValue(name).orElse(null);
    }

    public boolean isSuccess() {
        return status / 100 == 2;
    }

    boolean isRedirect() {
        return status / 100 == 3 && header("Location") != null;
    }

    /** Whether the beginning of a file that was downloaded earlier does not fit the file. */
    boolean refusesRange() {
        return status == REQUESTED_RANGE_NOT_SATISFIABLE;
    }

    /** Whether the same request may well be answered later. */
    public boolean isBusy() {
        return status == TOO_MANY_REQUESTS || status >= FIRST_OF_SERVER;
    }

    /** The seconds after which the server wants to see the request again, if it says so by a number. */
    public Optional<Duration> retryAfter() {
        String text = header("Retry-After");
        return text == null || !text.matches("\\d{1,9}")
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
}
