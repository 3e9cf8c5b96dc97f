package dev.millrace.codegen.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DurationEstimateTest {
    private final DurationEstimate took = new DurationEstimate();

    /** Work of so many parts, each of which takes so long. */
    private void work(int parts, int millis) {
        for (int part = 0; part < parts; part++) {
            long begun = took.begin();
            while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(millis)) {
                Thread.onSpinWait();
            }
            took.end(begun);
        }
    }

    @Test
    void theLeastOfTheFirstTimesCounts() {
        assertEquals(DurationEstimate.UNKNOWN, took.expect());
        work(3, 20);
        took.complete();
        long first = took.expect();
        assertTrue(first >= 60_000_000, first + " ns");
        work(2, 5);
        took.complete();
        long second = took.expect();
        assertTrue(second >= 10_000_000 && second < first, second + " ns");
        work(1, 100);
        took.complete();
        assertEquals(second, took.expect());
    }

    @Test
    void whatWasGivenUpSaysNothing() {
        took.expect();
        work(1, 1);
        assertEquals(DurationEstimate.UNKNOWN, took.expect());
        work(2, 5);
        took.complete();
        assertTrue(took.expect() >= 10_000_000);
    }

    @Test
    void soonNobodyMeasuresAnyMore() {
        for (int i = 0; i < 4; i++) {
            took.expect();
            work(1, 1);
            took.complete();
        }
        assertEquals(0, took.begin());
        long known = took.expect();
        took.end(0);
        took.complete();
        assertEquals(known, took.expect());
    }
}
