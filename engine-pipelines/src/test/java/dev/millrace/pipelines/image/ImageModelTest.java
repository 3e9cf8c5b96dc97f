package dev.millrace.pipelines.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the types of numbers that models of images take. */
class ImageModelTest {
    private final AtomicReference<Tensor> taken = new AtomicReference<>();

    private Stage<RgbImage, List<ScoredLabel>> classifier(ElementType type, ImageInput input) {
        var model = FixedInference.ofImages(type, 1, image -> {
            taken.set(image);
            return new Tensor[] {Tensor.copyOf(new float[] {1, 2}, 1, 2)};
        });
        return ImageClassifier.of(model, input, List.of("cat", "dog"), 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE"})
    void numbersHaveTheTypeOfTheModel(ElementType type) {
        ImageInput input = ImageInput.of(2, 1).fromMinusOneToOne();
        assertThat(classifier(type, input).run(RgbImage.filled(2, 1, 255)))
                .extracting(ScoredLabel::label)
                .containsExactly("dog");
        assertThat(taken.get().type()).isEqualTo(type);
        assertThat(taken.get().doubles()).containsOnly(1.0);
    }

    @Test
    void bytesAreTakenAsTheyAre() {
        byte[] pixels = {0, 1, 2, 127, (byte) 128, (byte) 254};
        ImageInput input = ImageInput.of(2, 1).channelsLast().fromZeroTo255();
        classifier(ElementType.UINT8, input).run(RgbImage.wrap(2, 1, pixels));
        assertThat(taken.get().type()).isEqualTo(ElementType.UINT8);
        assertThat(taken.get().ints()).containsExactly(0, 1, 2, 127, 128, 254);
    }

    @Test
    void otherNumbersAreNoBytes() {
        var fractions = classifier(ElementType.UINT8, ImageInput.of(2, 1));
        assertThatThrownBy(() -> fractions.run(RgbImage.filled(2, 1, 100)))
                .hasMessageContaining("the model takes uint8")
                .hasMessageContaining("ImageInput.fromZeroTo255");
        assertThatThrownBy(() -> classifier(ElementType.INT64, ImageInput.of(2, 1)))
                .hasMessageContaining("'image' has int64");
    }
}
