package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Arrays that only a burst needed come back by themselves while small runs go on. {@code TrimmedRunsTest} of the scheduler
 * and {@code TrimmingTest} hold after how many trims.
 */
@Timeout(120)
class ScratchIT {
    private static final int LARGE = 20_000_000;
    private static final long MEGABYTE = 1 << 20;
    /** The time between two looks at the heap, each of which collects garbage. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) / MEGABYTE;
    }

    @Test
    void arraysOfALargeRunComeBackWhileSmallRunsGoOn() throws InterruptedException {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
                Session session = engine.session(
                        TestModels.softmax(),
                        SessionOptions.builder().provider("cpu").build())) {
            Inputs small = Inputs.of("x", Tensor.copyOf(new float[100], 1, 100));
            session.run(small).close();
            long before = heap();
            var meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long allocated = meter.getTotalThreadAllocatedBytes();
            try (Tensor large = Tensor.allocate(ElementType.FLOAT, Shape.of(1, LARGE))) {
                session.run(Inputs.of("x", large)).close();
            }
            // the heap itself may be small again already, where the machine is busy
            assertThat(meter.getTotalThreadAllocatedBytes() - allocated).isGreaterThan(50 * MEGABYTE);
            while (heap() > before + 20) {
                session.run(small).close();
                Thread.sleep(PAUSE);
            }
        }
    }
}
