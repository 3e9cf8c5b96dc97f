package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosedMemoryTest {
    private final Chains kernels = new Chains();

    /** Runs a node that reads memory until another thread closes it. */
    private void runUntilClosed() throws InterruptedException {
        var editor = new GraphEditor(Graph.named("test"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        NodeSpec spec = NodeSpec.of(new OpId("test", "Meanwhile"), 1, x);
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(8);
        var reading = new CountDownLatch(1);
        kernels.meanwhile = () -> {
            reading.countDown();
            while (memory.get(ValueLayout.JAVA_BYTE, 0) == 0) {
                Thread.onSpinWait();
            }
        };
        Thread closer = Thread.ofPlatform().start(() -> {
            try {
                reading.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            arena.close();
        });
        try (var pool = new WorkerPool(0)) {
            var runner = new PlanRunner(PlanBuilder.build(editor.graph(), kernels.on(Device.CPU)), pool, 1, 4);
            Tensor input = Tensor.copyOf(new float[1], 1);
            assertThatThrownBy(() -> runner.run(_ -> input, new Cancellation(), null))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("closed");
        }
        boolean flag = Thread.interrupted();
        closer.join();
        if (flag) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoeverRunsIsNotLeftInterrupted() throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            runUntilClosed();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void whoeverWasInterruptedBeforeStaysSo() throws InterruptedException {
        Thread.currentThread().interrupt();
        runUntilClosed();
        assertThat(Thread.interrupted()).isTrue();
    }
}
