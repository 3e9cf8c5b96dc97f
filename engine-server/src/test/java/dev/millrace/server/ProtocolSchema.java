package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The JSON schema of the protocol's answers, which holds for every answer that a test gets. */
final class ProtocolSchema {
    private static final String MODEL = "v2/models/(?!stats$)[^/]+(/versions/[^/]+)?";

    /** The definitions of answers, by the paths that they answer. */
    private static final Map<Pattern, String> ANSWERS = Map.of(
            Pattern.compile("v2/health/live"), "live",
            Pattern.compile("v2/health/ready|" + MODEL + "/ready"), "ready",
            Pattern.compile("v2/?"), "server",
            Pattern.compile(MODEL), "model",
            Pattern.compile(MODEL + "/infer"), "inference",
            Pattern.compile("v2/models/stats|" + MODEL + "/stats"), "statistics",
            Pattern.compile("v2/repository/index"), "index");

    private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();

    private ProtocolSchema() {}

    /** Checks an answer of the protocol; leaves those to other paths alone. */
    static void check(String path, RestClient.Answer answer) {
        String definition = definition(path, answer.status());
        boolean isJson = answer.headers().firstValue("content-type").orElse("").startsWith("application/json");
        if (definition == null || !isJson && answer.status() == 200 && !definition.equals("inference")) {
            return;
        }
        int length = answer.headers()
                .firstValue("inference-header-content-length")
                .map(Integer::valueOf)
                .orElse(answer.bytes().length);
        var json = new String(Arrays.copyOf(answer.bytes(), length), StandardCharsets.UTF_8);
        assertThat(schema(definition).validate(json, InputFormat.JSON))
                .as("%s to /%s: %s", answer.status(), path, json)
                .isEmpty();
    }

    private static @Nullable String definition(String path, int status) {
        if (!path.startsWith("v2")) {
            return null;
        }
        String found = ANSWERS.entrySet().stream()
                .filter(each -> each.getKey().matcher(path).matches())
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
        boolean tells = status == 200 || status == 503 && "ready".equals(found);
        return tells ? found : "error";
    }

    private static Schema schema(String definition) {
        return SCHEMAS.computeIfAbsent(definition, name -> {
            try (InputStream in =
                    Objects.requireNonNull(ProtocolSchema.class.getResourceAsStream("protocol.schema.json"))) {
                String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                // the definition as a whole schema, with the definitions that it refers to
                String one = all.replaceFirst("\\{", "{\"\\$ref\": \"#/\\$defs/" + name + "\",");
                return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(one, InputFormat.JSON);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
