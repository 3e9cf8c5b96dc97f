package dev.millrace.providers.simd.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class TuningCacheTest {
    private static final List<Way> WAYS = List.of(Way.values());

    private enum Way {
        SLOW(4_000_000),
        FAST(400_000),
        NEARLY_AS_FAST(404_000);

        private final long nanos;

        Way(long nanos) {
            this.nanos = nanos;
        }

        private Runnable trial() {
            return () -> {
                long end = System.nanoTime() + nanos;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            };
        }
    }

    private static Way of(TuningCache choices, Way counted) {
        return choices.of(() -> "work", WAYS, counted, Way::trial);
    }

    @Test
    void whatIsCountedIsNotMeasured() {
        Function<Way, Runnable> never = way -> {
            throw new AssertionError(way);
        };
        Supplier<String> unnamed = () -> {
            throw new AssertionError();
        };

        assertThat(TuningCache.counted().of(unnamed, WAYS, Way.SLOW, never)).isEqualTo(Way.SLOW);
        assertThat(TuningCache.measured().of(unnamed, List.of(Way.SLOW), Way.SLOW, never))
                .as("where there is one way")
                .isEqualTo(Way.SLOW);
    }

    @Test
    void whatIsMeasuredIsTheFastest() {
        var choices = TuningCache.measured();

        assertThat(of(choices, Way.SLOW)).isIn(Way.FAST, Way.NEARLY_AS_FAST);
        assertThat(choices.made()).containsOnlyKeys("work");
    }

    @Test
    void theCountDecidesBetweenWaysThatAreNearEachOther() {
        assertThat(of(TuningCache.measured(), Way.NEARLY_AS_FAST)).isEqualTo(Way.NEARLY_AS_FAST);
    }

    @Test
    void workIsMeasuredOnce() {
        var choices = TuningCache.measured();
        Way first = of(choices, Way.SLOW);
        var trials = new AtomicInteger();

        Way second = choices.of(() -> "work", WAYS, Way.SLOW, way -> trials::incrementAndGet);

        assertThat(second).isEqualTo(first);
        assertThat(trials).hasValue(0);
    }

    @Test
    void whatWasKeptIsDoneSoAndTheRestIsCounted() {
        var choices = TuningCache.kept(Map.of("work", "FAST", "other", "OF_ANOTHER_KIND"));

        assertThat(of(choices, Way.SLOW)).isEqualTo(Way.FAST);
        assertThat(choices.of(() -> "other", WAYS, Way.SLOW, Way::trial))
                .as("a way that there is not")
                .isEqualTo(Way.SLOW);
        assertThat(choices.of(() -> "third", WAYS, Way.SLOW, Way::trial)).isEqualTo(Way.SLOW);
        assertThat(choices.made()).hasSize(2);
    }
}
