package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtherKindTest {
    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        version https://git-lfs.github.com/spec/v1~oid sha256:00~size 12~ | Git LFS pointer
        <!DOCTYPE html><html><head><title>Sign in</title></head></html>   | HTML page
        {"error": "Repository not found"}                                 | JSON
        <?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>     | XML
        abcdORTM                                                          | .ort format
        Read me first: the model~                                         | a text and no ONNX model
        abcdTFL3                                                          | TensorFlow Lite
        """)
    void whatIsNoModelIsToldByItsName(String content, String kind) throws IOException {
        Path file = folder.resolve("model.onnx");
        Files.writeString(file, content.replace('~', '\n'));
        assertThatThrownBy(() -> Models.read(file))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        thrown -> assertThat(thrown.status()).isEqualTo(Status.INVALID_PROTOBUF))
                .hasMessageStartingWith(file + ": this is ")
                .hasMessageContaining(kind);
    }

    @Test
    void archivesAreTold() {
        byte[] zip = "PK\u0003\u0004rest of an archive".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Models.read(zip, null)).hasMessageContaining("zip archive");
        byte[] gguf = "GGUF\u0003\0\0\0rest of a model".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Models.read(gguf, null)).hasMessageContaining("this is a GGUF file");
        byte[] gzip = "\u001f\u008b\u0008rest of it".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Models.read(gzip, null)).hasMessageContaining("gzip");
        byte[] safetensors = "\u0020\0\0\0\0\0\0\0{\"weight\":{}}".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> Models.read(safetensors, null)).hasMessageContaining("a file of safetensors");
    }
}
