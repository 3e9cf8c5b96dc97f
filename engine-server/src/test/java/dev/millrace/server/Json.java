package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.tensor.JsonTree;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A value in a document of JSON. */
record Json(@Nullable Object value) {
    static Json read(String text) {
        byte[] wrapped = ("{\"it\":" + text + "}").getBytes(StandardCharsets.UTF_8);
        return new Json(JsonTree.readObject(wrapped)).at("it");
    }

    /** Returns the value of a key; null where the object does not have it. */
    Json at(String key) {
        return new Json(((Map<?, ?>) Objects.requireNonNull(value, key)).get(key));
    }

    Stream<Json> each() {
        assertThat(value).isInstanceOf(List.class);
        return ((List<?>) Objects.requireNonNull(value)).stream().map(Json::new);
    }

    long number() {
        return ((Number) Objects.requireNonNull(value)).longValue();
    }

    String text() {
        return String.valueOf(value);
    }
}
