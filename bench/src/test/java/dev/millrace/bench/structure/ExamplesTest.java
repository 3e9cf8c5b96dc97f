package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the Java code of the documents compiles as it stands. */
class ExamplesTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    /** The pattern of an example that is a file of its own. */
    private static final Pattern WHOLE = Pattern.compile("^public class (\\w+)", Pattern.MULTILINE);

    /**
     * The code around an example, with the declarations that readers have themselves. They are fields, because an
     * example may have a variable of the same name.
     */
    private static final String AROUND = """
        import dev.langchain4j.model.chat.*;
        import dev.langchain4j.model.embedding.*;
        import dev.millrace.epcontext.*;
        import dev.millrace.epcontext.cache.*;
        import dev.millrace.graph.*;
        import dev.millrace.graph.optimise.*;
        import dev.millrace.graph.tensor.*;
        import dev.millrace.langchain4j.*;
        import dev.millrace.models.*;
        import dev.millrace.pipelines.*;
        import dev.millrace.pipelines.audio.*;
        import dev.millrace.pipelines.image.*;
        import dev.millrace.pipelines.imageio.*;
        import dev.millrace.pipelines.text.*;
        import dev.millrace.providers.spi.*;
        import dev.millrace.scheduler.*;
        import dev.millrace.session.*;
        import dev.millrace.session.generate.*;
        import dev.millrace.text.*;
        import java.lang.foreign.*;
        import java.nio.*;
        import java.nio.file.*;
        import java.time.*;
        import java.util.*;
        import java.util.concurrent.*;
        import reactor.core.publisher.*;

        abstract class Example%d {
            Engine engine;
            Session session;
            Inputs inputs;
            Tensor ids;
            Tensor mask;
            Tensor image;
            Flux<Inputs> requests;
            Flux<Keyed<String, Inputs>> spoken;
            Flux<String> questions;
            List<Path> models;
            MemorySegment bytes;
            MemorySegment weights;
            ScheduledExecutorService timer;
            LanguageModel model;
            List<ChatMessage> messages;
            List<String> labels;
            List<String> passages;
            Flux<RgbImage> images;
            Flux<float[]> microphone;
            Session detection;
            Session direction;
            Session recognition;
            Session mel;
            Session embedding;
            Session jarvis;
            ReplaceableSession service;
            Tokenizer tokenizer;

            void example() throws Exception {
        %s
            }
        }
        """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/guide/chat-templates.md",
                "docs/guide/getting-started.md",
                "docs/guide/sessions.md",
                "docs/guide/compiled-models.md",
                "docs/guide/constrained-output.md",
                "docs/guide/deployment.md",
                "docs/guide/encoder-decoders.md",
                "docs/guide/from-onnxruntime.md",
                "docs/guide/generation.md",
                "docs/guide/langchain4j.md",
                "docs/guide/language-models.md",
                "docs/guide/model-packages.md",
                "docs/guide/models.md",
                "docs/guide/pipelines.md",
                "docs/guide/streams.md",
                "docs/guide/text.md"
            })
    void theJavaOfADocumentCompiles(String name, @TempDir Path classes) throws IOException {
        List<JavaFileObject> examples = new ArrayList<>();
        Matcher found = JAVA.matcher(Files.readString(Path.of("..", name)));
        while (found.find()) {
            examples.add(source(examples.size(), found.group(1)));
        }
        assertThat(examples).isNotEmpty();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var messages = new StringWriter();
        List<String> options = List.of("-proc:none", "-nowarn", "-d", classes.toString());
        boolean compiled =
                compiler.getTask(messages, null, null, options, null, examples).call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }

    private static JavaFileObject source(int number, String example) {
        Matcher whole = WHOLE.matcher(example);
        String name = whole.find() ? whole.group(1) : "Example" + number;
        String text = name.startsWith("Example") ? AROUND.formatted(number, example) : example;
        URI place = URI.create("string:///" + name + ".java");
        return new SimpleJavaFileObject(place, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
