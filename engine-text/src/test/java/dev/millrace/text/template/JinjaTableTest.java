package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.text.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Templates against what Jinja 3.1.6 made of them, with the settings of Hugging Face's chat templates. The first line of
 * the table has the variables; each other line has a template and its output, or null if Jinja refused it.
 */
class JinjaTableTest {
    private static final List<String> LINES = lines();
    static final Map<String, @Nullable Object> VARIABLES = Rendered.map(LINES.getFirst());

    private static List<String> lines() {
        try (InputStream in = Objects.requireNonNull(JinjaTableTest.class.getResourceAsStream("jinja.jsonl"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<String> cases() {
        return LINES.stream().skip(1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aTemplateRendersAsInJinja(String line) {
        List<Json> parts = Rendered.json(line).elements();
        String template = parts.getFirst().text();
        if (parts.getLast().isNull()) {
            assertThatThrownBy(() -> Rendered.of(template, VARIABLES))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                    .hasMessageStartingWith("line ");
        } else {
            assertThat(Rendered.of(template, VARIABLES))
                    .isEqualTo(parts.getLast().text());
        }
    }
}
