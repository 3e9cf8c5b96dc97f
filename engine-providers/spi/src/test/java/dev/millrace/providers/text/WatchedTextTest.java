package dev.millrace.providers.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class WatchedTextTest {
    /** A pattern whose search is exponential: the memory of the regex engine does not help with counted repetitions. */
    private static final Pattern BACKTRACKING = Pattern.compile("((a{1,1000}){1,1000}){1,1000}");

    @Test
    void eachReadIsCounted() {
        var reads = new AtomicLong();
        var text = new WatchedText("abc", reads::set);
        assertThat(Pattern.compile("abc").matcher(text).matches()).isTrue();
        assertThat(reads).hasValue(3);
        assertThat(text).hasToString("abc").hasSize(3);
        assertThat(text.subSequence(1, 3)).isEqualTo("bc");
    }

    @Test
    void aCheckStopsThePattern() {
        var text = new WatchedText("a".repeat(40) + "b", count -> {
            if (count > 1000) {
                throw new IllegalStateException("cancelled at " + count);
            }
        });
        assertThatThrownBy(() -> BACKTRACKING.matcher(text).matches()).hasMessage("cancelled at 1001");
    }

    @Test
    void aPatternThatFindsNoEndIsRefused() {
        var text = new WatchedText("a".repeat(40) + "b", _ -> {});
        assertThatThrownBy(() -> BACKTRACKING.matcher(text).matches())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("looked 67108864 times at a text of 41 characters");
    }
}
