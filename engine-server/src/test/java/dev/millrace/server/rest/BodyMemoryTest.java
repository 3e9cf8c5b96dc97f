package dev.millrace.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the memory that bodies share. */
class BodyMemoryTest {
    @Test
    void bodiesTakeNoMoreThanThereIs() {
        var taken = new AtomicLong();
        var one = new BodyMemory(taken, 100);
        var other = new BodyMemory(taken, 100);
        assertThat(one.reserve(60)).isTrue();
        assertThat(other.reserve(50)).isFalse();
        assertThat(other.reserve(40)).isTrue();
        assertThat(one.reserve(1)).isFalse();
        one.close();
        one.close();
        assertThat(taken).hasValue(40);
        assertThat(one.reserve(1)).isFalse();
        assertThat(other.reserve(60)).isTrue();
        other.close();
        assertThat(taken).hasValue(0);
    }
}
