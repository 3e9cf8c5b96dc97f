package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that caches are filled before a server is needed. */
class PrepareTest {
    @TempDir
    Path folder;

    private List<String> prepare(RequestListener listener) {
        return ModelServer.prepare(ServerOptions.builder()
                .repositories(folder.resolve("models"))
                .model("named", "file:" + folder.resolve("named.onnx"))
                .engine(EngineOptions.builder()
                        .threads(2)
                        .contextCache(ContextCache.in(folder.resolve("contexts")))
                        .requestListener(listener)
                        .build())
                .build());
    }

    @Test
    void eachModelAnswersAndIsKept() throws Exception {
        Files.write(folder.resolve("named.onnx"), ServerModels.plus(1, 2));
        new TestRepository(folder.resolve("models"))
                .version("plus", 1, ServerModels.plus(1, 4))
                .config("plus", "max_batch_size: 8 dynamic_batching {}")
                .version("texts", 1, ServerModels.same(ElementType.STRING))
                .version("sum", 1, ServerModels.sum())
                .config("sum", """
                    max_batch_size: 1
                    input { name: "INPUT" data_type: TYPE_INT32 dims: [1] }
                    sequence_batching {
                      control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] } }
                      state { input_name: "STATE_IN" output_name: "STATE_OUT" data_type: TYPE_INT32 dims: [1] }
                    }
                    """)
                .mill();
        Queue<RequestReport> heard = new ConcurrentLinkedQueue<>();
        assertThat(prepare(heard::add)).isEmpty();
        assertThat(heard).allMatch(each -> each.outcome().equals("OK"));
        assertThat(heard.stream().map(RequestReport::session).distinct())
                .containsExactlyInAnyOrder("mill", "named", "plus", "sum", "texts");
        assertThat(ContextCache.in(folder.resolve("contexts")).list()).isNotEmpty();
    }

    @Test
    void modelsThatDoNotAnswerAreNamed() throws Exception {
        Files.write(folder.resolve("named.onnx"), ServerModels.plus(1, 2));
        new TestRepository(folder.resolve("models"))
                .version("plus", 1, ServerModels.plus(1, 4))
                .version("broken", 1, "no model".getBytes(StandardCharsets.UTF_8));
        assertThat(prepare(_ -> {})).singleElement().asString().contains("'broken'", "is not loaded");
    }
}
