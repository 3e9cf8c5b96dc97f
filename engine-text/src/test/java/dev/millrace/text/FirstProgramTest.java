package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program of the guide runs as it stands. */
class FirstProgramTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void theFirstProgramRunsOnTheModelThatItNames(@TempDir Path folder) throws IOException, InterruptedException {
        Files.write(folder.resolve("minilm.onnx"), GoldenTest.content("/all-minilm-l6-v2.onnx"));
        Files.write(folder.resolve("tokenizer.json"), GoldenTest.content("/all-minilm-l6-v2-tokenizer.json"));
        Matcher first = JAVA.matcher(Files.readString(Path.of("..", "docs", "guide", "getting-started.md")));
        assertThat(first.find()).isTrue();
        Path source = Files.writeString(folder.resolve("Sentences.java"), first.group(1));
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", folder.toString(), source.toString());
        assertThat(errors).isZero();

        String said = new OwnJvm("Sentences")
                .in(folder)
                .options("-cp", folder + File.pathSeparator + System.getProperty("java.class.path"))
                .output();

        assertThat(said).containsPattern("384 numbers, similarity 0[.][3-6]");
    }
}
