package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of session options. */
class SessionOptionTest {
    private static Set<String> names(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods()).map(Method::getName).collect(Collectors.toSet());
    }

    @Test
    void eachOptionHasAMethodOfTheBuilder() {
        List<String> names =
                SessionOption.all().stream().map(SessionOption::name).toList();
        assertThat(names(SessionOptions.Builder.class)).containsAll(names);
        assertThat(names).doesNotHaveDuplicates();
    }

    @Test
    void optionsAreSetByTheirNamesAndTexts() {
        SessionOptions options = SessionOptions.builder()
                .set("threads", "3")
                .set("strict", "true")
                .set("alone", "1")
                .set("externalDataFolder", "some")
                .set("fileUse", "READ")
                .set("name", "net")
                .set("queue", "5")
                .build();
        assertThat(options)
                .isEqualTo(SessionOptions.builder()
                        .threads(3)
                        .strict(true)
                        .alone(true)
                        .externalDataFolder(Path.of("some"))
                        .fileUse(FileUse.READ)
                        .name("net")
                        .queue(5)
                        .cancellation(options.cancellation())
                        .build());
    }

    @ParameterizedTest
    @CsvSource({
        "threads, two, 'two'",
        "threads, -1, at least 0",
        "weight, 1001, at most 1000",
        "strict, yes, 'yes'",
        "fileUse, LATER, MAP",
        "optimiser, ALL, no text",
        "thread, 2, 'threads, maxBindings'",
    })
    void aTextThatStandsForNoValueIsRefusedWithTheOptionsName(String name, String value, String said) {
        assertThatThrownBy(() -> SessionOptions.builder().set(name, value))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContainingAll("'" + name + "'", said);
    }

    @Test
    void aTextComesBackFromItsValue() {
        var texts = Map.of(
                SessionOption.THREADS,
                "3",
                SessionOption.STRICT,
                "1",
                SessionOption.NAME,
                "",
                SessionOption.QUEUE,
                "9");
        texts.forEach((option, text) -> assertThat(printed(option, text)).isEqualTo(text));
    }

    private static <T> String printed(SessionOption<T> option, String text) {
        return option.print(option.parse(text));
    }

    @Test
    void optionsSayWhatDiffersFromTheDefaults() {
        assertThat(SessionOptions.defaults()).hasToString("SessionOptions[]");
        assertThat(SessionOptions.builder().threads(2).strict(true).build())
                .hasToString("SessionOptions[threads=2, strict=true]");
    }

    @Test
    void aBuilderDoesNotChangeTheOptionsThatItMade() {
        SessionOptions.Builder builder = SessionOptions.builder().threads(2).provider("cpu");
        SessionOptions made = builder.build();
        builder.threads(5).provider("simd");
        assertThat(made.threads()).isEqualTo(2);
        assertThat(made.providers()).containsExactly(ProviderChoice.of("cpu"));
    }
}
