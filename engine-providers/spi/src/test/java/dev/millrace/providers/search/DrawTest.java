package dev.millrace.providers.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Words of the shares 1/2, 1/10, 3/10, 1/10 and none. */
class DrawTest {
    private static final float[] SCORES = {
        (float) Math.log(0.5),
        (float) Math.log(0.1),
        (float) Math.log(0.3),
        (float) Math.log(0.1),
        Float.NEGATIVE_INFINITY
    };

    private static int word(double temperature, int most, double share, double place) {
        return new Draw(temperature, most, share).word(SCORES, place);
    }

    private static Set<Integer> drawn(double temperature, int most, double share) {
        var words = new TreeSet<Integer>();
        for (int i = 0; i < 1000; i++) {
            words.add(word(temperature, most, share, i / 1000.0));
        }
        return words;
    }

    @Test
    void wordsLieSideBySideByTheirShares() {
        assertThat(word(1, 0, 1, 0)).isEqualTo(0);
        assertThat(word(1, 0, 1, 0.499)).isEqualTo(0);
        assertThat(word(1, 0, 1, 0.501)).isEqualTo(1);
        assertThat(word(1, 0, 1, 0.601)).isEqualTo(2);
        assertThat(word(1, 0, 1, 0.999999999)).isEqualTo(3);
    }

    @Test
    void someOfTheLikeliestAreLeft() {
        assertThat(drawn(1, 2, 1)).containsExactly(0, 2);
        assertThat(word(1, 2, 1, 0.624)).isEqualTo(0);
        assertThat(word(1, 2, 1, 0.626)).isEqualTo(2);
        assertThat(drawn(1, 50, 1)).containsExactly(0, 1, 2, 3);
    }

    @Test
    void soManyAreLeftAsHaveTheShare() {
        assertThat(drawn(1, 0, 0.4)).containsExactly(0);
        assertThat(drawn(1, 0, 0.6)).containsExactly(0, 2);
        assertThat(drawn(1, 0, 0.85)).containsExactly(0, 1, 2);
        assertThat(drawn(1, 0, 0.95)).containsExactly(0, 1, 2, 3);
        // of the two likeliest, the first has 5 of 8
        assertThat(drawn(1, 2, 0.6)).containsExactly(0);
        assertThat(drawn(1, 2, 0.7)).containsExactly(0, 2);
    }

    @Test
    void theColderTheLikelier() {
        assertThat(word(0.5, 0, 1, 0.69)).isEqualTo(0);
        assertThat(drawn(1e-9, 0, 1)).containsExactly(0);
        assertThat(word(100, 0, 1, 0.26)).isEqualTo(1);
    }
}
