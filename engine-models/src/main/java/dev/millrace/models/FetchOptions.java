package dev.millrace.models;

import dev.millrace.graph.EngineException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places where models are kept, and the rules of their downloads. An immutable snapshot; {@link #builder()} makes one,
 * with the values of the environment at first.
 *
 * @param hubCache the folder of the hub's cache: {@code HF_HUB_CACHE}, else {@code HF_HOME/hub}, else
 *     {@code ~/.cache/huggingface/hub}
 * @param folder the folder of files from packages and addresses: {@code MILLRACE_CACHE}, else
 *     {@code ~/.cache/millrace/models}
 * @param endpoint the address of the hub: {@code HF_ENDPOINT}, else that of Hugging Face
 * @param token the token for the hub: {@code HF_TOKEN}; null for none. It is sent to the endpoint's host alone
 * @param offline whether only files that are there already are used: {@code HF_HUB_OFFLINE}
 * @param largestFile the most bytes of one file
 * @param attempts how often a request is tried that fails by the network, or that a busy server refuses
 * @param patience the longest time without a byte before an attempt counts as failed
 * @param listener the listener to downloads
 * @param storeSettings values that take the place of variables of the environment that object stores read, by the names of
 *     these, such as {@code AWS_ENDPOINT_URL_S3}
 */
public record FetchOptions(
        Path hubCache,
        Path folder,
        URI endpoint,
        @Nullable String token,
        boolean offline,
        long largestFile,
        int attempts,
        Duration patience,
        FetchListener listener,
        Map<String, String> storeSettings) {
    private static final Set<String> TRUE = Set.of("1", "TRUE", "YES", "ON");
    private static final long LARGEST = 200L << 30;
    private static final int ATTEMPTS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public FetchOptions {
        storeSettings = Map.copyOf(storeSettings);
        if (attempts < 1 || largestFile < 1 || patience.isNegative() || patience.isZero()) {
            throw EngineException.invalidArgument("attempts, largestFile and patience are positive");
        }
        String scheme = endpoint.getScheme();
        if (endpoint.getHost() == null || !("https".equals(scheme) || "http".equals(scheme))) {
            throw EngineException.invalidArgument("the endpoint '" + endpoint + "' is no address of a hub");
        }
    }

    /** Returns the options that the environment names, and defaults for the rest. */
    public static FetchOptions ofEnvironment() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder(System.getenv());
    }

    /** Returns the options without the token. */
    @Override
    public String toString() {
        return "FetchOptions[hubCache=" + hubCache + ", folder=" + folder + ", endpoint=" + endpoint + ", token="
                + (token == null ? "none" : "given") + ", offline=" + offline + "]";
    }

    /** A builder of options. Not thread-safe. */
    public static final class Builder {
        private Path hubCache;
        private Path folder;
        private URI endpoint;
        private @Nullable String token;
        private boolean offline;
        private long largestFile = LARGEST;
        private int attempts = ATTEMPTS;
        private Duration patience = PATIENCE;
        private FetchListener listener = FetchListener.NONE;
        private final Map<String, String> storeSettings = new HashMap<>();

        Builder(Map<String, String> environment) {
            Path home = Path.of(System.getProperty("user.home"));
            Path caches = path(environment, "XDG_CACHE_HOME", home, home.resolve(".cache"));
            Path hubHome = path(environment, "HF_HOME", home, caches.resolve("huggingface"));
            hubCache = path(environment, "HF_HUB_CACHE", home, hubHome.resolve("hub"));
            folder = path(
                    environment,
                    "MILLRACE_CACHE",
                    home,
                    caches.resolve("millrace").resolve("models"));
            String named = environment.getOrDefault("HF_ENDPOINT", "");
            endpoint = address(named.isBlank() ? "https://huggingface.co" : named.strip());
            String secret = environment.getOrDefault("HF_TOKEN", "").strip();
            token = secret.isEmpty() ? null : secret;
            offline =
                    TRUE.contains(environment.getOrDefault("HF_HUB_OFFLINE", "").toUpperCase(Locale.ROOT));
        }

        private static Path path(Map<String, String> environment, String key, Path home, Path otherwise) {
            String text = environment.getOrDefault(key, "");
            if (text.isEmpty()) {
                return otherwise;
            }
            return text.startsWith("~/") ? home.resolve(text.substring(2)) : Path.of(text);
        }

        private static URI address(String text) {
            try {
                return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            } catch (IllegalArgumentException e) {
                throw EngineException.invalidArgument("the endpoint '" + text + "' is no address of a hub");
            }
        }

        public Builder hubCache(Path value) {
            hubCache = Objects.requireNonNull(value);
            return this;
        }

        public Builder folder(Path value) {
            folder = Objects.requireNonNull(value);
            return this;
        }

        public Builder endpoint(String value) {
            endpoint = address(value);
            return this;
        }

        public Builder token(@Nullable String value) {
            token = value;
            return this;
        }

        public Builder offline(boolean value) {
            offline = value;
            return this;
        }

        public Builder largestFile(long bytes) {
            largestFile = bytes;
            return this;
        }

        public Builder attempts(int value) {
            attempts = value;
            return this;
        }

        public Builder patience(Duration value) {
            patience = Objects.requireNonNull(value);
            return this;
        }

        public Builder listener(FetchListener value) {
            listener = Objects.requireNonNull(value);
            return this;
        }

        /** Sets what object stores read, in the place of a variable of the environment. */
        public Builder storeSetting(String name, String value) {
            storeSettings.put(name, value);
            return this;
        }

        public FetchOptions build() {
            return new FetchOptions(
                    hubCache,
                    folder,
                    endpoint,
                    token,
                    offline,
                    largestFile,
                    attempts,
                    patience,
                    listener,
                    storeSettings);
        }
    }
}
