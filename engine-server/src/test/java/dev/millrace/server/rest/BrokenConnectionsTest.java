package dev.millrace.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests how often broken connections are told of. */
class BrokenConnectionsTest {
    @Test
    void theFirstIsToldOfAtOnceAndTheOthersOnceAMinute() {
        var now = new AtomicLong(-5);
        var broken = new BrokenConnections(now::get);
        var failure = new IOException("no frame");
        assertThat(broken.line(failure)).startsWith("1 connection broke off").endsWith("no frame");
        for (int i = 0; i < 100; i++) {
            assertThat(broken.line(failure)).isNull();
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertThat(broken.line(failure)).isNull();
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(broken.line(failure)).startsWith("102 connections broke off");
        assertThat(broken.line(failure)).isNull();
    }
}
