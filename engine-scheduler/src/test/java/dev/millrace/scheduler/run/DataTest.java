package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.Cancellation;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataTest {
    private final TensorSequence sequence = new TensorSequence(List.of(Tensor.scalar(1f), Tensor.scalar(2f)));
    private final Cancellation cancellation = new Cancellation();

    @Test
    void aSequenceIsCopiedTensorByTensor() {
        var copy = (TensorSequence) Data.copyOf(sequence, cancellation);
        assertThat(copy.elements()).hasSize(2).doesNotContainAnyElementsOf(sequence.elements());
        assertThat(((Tensor) copy.elements().get(1)).floats()).containsExactly(2);
    }

    @Test
    void copyingASequenceEndsWhenItIsCancelled() {
        cancellation.cancel();
        assertThatThrownBy(() -> Data.copyOf(sequence, cancellation))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
    }
}
