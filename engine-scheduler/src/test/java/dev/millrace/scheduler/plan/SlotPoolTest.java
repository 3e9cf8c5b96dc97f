package dev.millrace.scheduler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SlotPoolTest {
    private final SlotPool<String> pool = new SlotPool<>(8);

    @Test
    void whatWasNotTakenSinceTheLastTrimIsDroppedButForOne() {
        for (String thing : List.of("a", "b", "c", "d")) {
            pool.give(thing);
        }
        String first = Objects.requireNonNull(pool.take());
        String second = Objects.requireNonNull(pool.take());
        pool.give(first);
        pool.give(second);
        var kept = new ArrayList<String>();
        pool.trim(kept::add);
        assertThat(kept).containsExactlyInAnyOrder("a", "b");
        kept.clear();
        pool.trim(kept::add);
        assertThat(kept).hasSize(1);
        assertThat(pool.clear()).isEqualTo(1);
        assertThat(pool.take()).isNull();
    }
}
