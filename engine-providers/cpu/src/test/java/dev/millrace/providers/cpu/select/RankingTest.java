package dev.millrace.providers.cpu.select;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RankingTest {
    @Test
    void everyNumberComesInItsTurnHoweverManyThereAre() {
        var random = new Random(5);
        for (int count = 0; count < 3_000; count += 1 + count / 9) {
            long[] numbers =
                    random.longs(count + 3, -50, 50L + count % 7 * 1000).toArray();
            long[] sorted = Arrays.copyOf(numbers, count);
            Arrays.sort(sorted);
            var ranking = new Ranking(numbers);
            ranking.begin(count);
            for (long expected : sorted) {
                assertThat(ranking.isEmpty()).isFalse();
                assertThat(ranking.take()).isEqualTo(expected);
            }
            assertThat(ranking.isEmpty()).isTrue();
        }
    }

    @Test
    void itServesOneListAfterTheOther() {
        long[] numbers = {3, 1, 2, 0};
        var ranking = new Ranking(numbers);
        ranking.begin(4);
        assertThat(ranking.take()).isZero();
        Arrays.setAll(numbers, i -> 10 - i);
        ranking.begin(3);
        assertThat(ranking.take()).isEqualTo(8);
    }
}
