package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.tensor.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the guide's example works as it says, and that the tests that the guide names exist. */
class ServerGuideTest {
    private static final Path GUIDE = Path.of("../docs/guide/server.md");
    private static final Pattern EXCHANGE =
            Pattern.compile("```http\n(GET|POST) /(\\S+)\n(.*?)```\n\n```json\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CONFIG = Pattern.compile("```protobuf\n(.*?)```", Pattern.DOTALL);
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)#(\\w+)`");

    @TempDir
    Path folder;

    private static List<MatchResult> found(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(GUIDE)).results().toList();
    }

    @Test
    void theExampleAnswersAsThePageSays() throws IOException {
        new TestRepository(folder)
                .version("simple", 1, ServerModels.simple(ElementType.INT32))
                .config("simple", found(CONFIG).getFirst().group(1));
        ServerOptions options = ServerOptions.builder()
                .repositories(folder)
                .httpPort(0)
                .grpcPort(0)
                .metricsPort(0)
                .build();
        try (ModelServer server = ModelServer.start(options)) {
            int port = server.httpPort();
            assertThat(port).isPositive();
            try (var client = new RestClient(server)) {
                List<MatchResult> exchanges = found(EXCHANGE);
                assertThat(exchanges).hasSize(4);
                for (MatchResult each : exchanges) {
                    var answer = each.group(1).equals("GET")
                            ? client.get(each.group(2))
                            : client.post(each.group(2), each.group(3).strip());
                    assertThat(tree(answer.body())).isEqualTo(tree(each.group(4)));
                }
            }
        }
    }

    /** Returns a document as a tree, in an object, as it may be a list. */
    private static Object tree(String json) {
        return JsonTree.readObject(("{\"document\": " + json + "}").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theJavaOfThePageStandsInThisTest() throws IOException {
        String here = Files.readString(Path.of("src/test/java/dev/millrace/server/ServerGuideTest.java"))
                .replaceAll("\\s+", "");
        assertThat(found(JAVA))
                .hasSize(1)
                .allSatisfy(each -> assertThat(here).contains(each.group(1).replaceAll("\\s+", "")));
    }

    @Test
    void theTestsThatThePageNamesExist() throws Exception {
        List<MatchResult> named = found(TEST);
        assertThat(named).hasSizeGreaterThan(15);
        for (MatchResult each : named) {
            Class<?> type = Class.forName("dev.millrace.server." + each.group(1));
            assertThat(Arrays.stream(type.getDeclaredMethods()).map(method -> method.getName()))
                    .contains(each.group(2));
        }
    }
}
