package dev.millrace.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of names of models as texts. */
class ModelNameTest {
    private static final String DIGEST = "ab".repeat(32);

    @ParameterizedTest
    @CsvSource({
        "hf:org/net/model.onnx, hf:org/net, model.onnx",
        "hf:org/net@v1.0/onnx/model.onnx, hf:org/net@v1.0, onnx/model.onnx",
        "mvn:g.h:a:1.0/x/model.onnx, mvn:g.h:a:1.0, x/model.onnx",
        "npm:net@1.2.3/dist/model.onnx, npm:net@1.2.3, dist/model.onnx",
        "npm:@scope/net@1.2.3/model.onnx, npm:@scope/net@1.2.3, model.onnx",
        "https://host:8/a/model.onnx, https://host:8/a, model.onnx",
        "file:/a/b/model.onnx, file:/a/b, model.onnx",
        "file:model.onnx, file:., model.onnx"
    })
    void aTextIsASourceAndAFile(String text, String source, String file) {
        assertThat(ModelName.parse(text)).isEqualTo(ModelName.of(source, file, null));
        assertThat(ModelName.parse(text + "#sha256=" + DIGEST)).isEqualTo(ModelName.of(source, file, DIGEST));
        assertThat(ModelName.of(source, file, DIGEST).toString()).endsWith(file + "#sha256=" + DIGEST);
    }

    @Test
    void aRepositoryIsAName() {
        assertThat(ModelName.parse("hf:org/net@main")).isEqualTo(new ModelName("hf:org/net@main", List.of()));
        assertThat(ModelName.parse("hf:org/net@main").toString()).isEqualTo("hf:org/net@main");
        assertThat(ModelName.isName("hf:org/net")).isTrue();
        assertThat(ModelName.isName("models/minilm.onnx")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model.onnx",
                "ftp://host/model.onnx",
                "mvn:g:a:1",
                "npm:net@1",
                "https://host/",
                "hf:org/net/model.onnx#sha256=12",
                "file:"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> ModelName.parse(text)).isInstanceOf(EngineException.class);
    }
}
