package dev.millrace.codegen.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodeMapTest {
    @Test
    void functionsAreAppendedToAFileButNotThroughALink(@TempDir Path folder) throws IOException {
        Path map = folder.resolve("perf.map");
        CodeMap.append(map, "1 2 gemm\n");
        CodeMap.append(map, "3 4 softmax\n");
        assertThat(map).hasContent("1 2 gemm\n3 4 softmax\n");
        Path link = Files.createSymbolicLink(folder.resolve("planted.map"), map);
        assertThatThrownBy(() -> CodeMap.append(link, "5 6 lstm\n"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("planted.map");
        assertThat(map).hasContent("1 2 gemm\n3 4 softmax\n");
    }
}
