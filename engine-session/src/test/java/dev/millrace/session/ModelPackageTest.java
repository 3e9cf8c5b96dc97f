package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.WeightlessMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Packages of models, and which variant of one a session gets. */
class ModelPackageTest {
    private static final int WIDTH = 8;
    private static final String FOLDER_KEY = "session.model_external_initializers_file_folder_path";

    @TempDir
    private Path folder = Path.of("");

    private final FakeFactory fake = new FakeFactory();
    private Engine engine = Engine.create();

    @BeforeEach
    void open() throws IOException {
        engine.close();
        fake.operator = "Nothing";
        engine = TestEngines.with(fake);
        for (String name : List.of("one", "two", "three")) {
            Path of = Files.createDirectories(folder.resolve(name));
            Files.write(of.resolve("net.onnx"), TestModels.perceptron(1, WIDTH, name.hashCode()));
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static String target(String ep, String device, String text) {
        return "{\"ep\": \"%s\", \"device\": \"%s\", \"compatibility_string\": \"%s\"}".formatted(ep, device, text);
    }

    private static String variant(String name, String targets, String body) {
        return "\"%s\": {%s \"executor_info\": {\"ort\": {%s}}}"
                .formatted(name, targets.isEmpty() ? "" : "\"ep_compatibility\": [" + targets + "],", body);
    }

    private static String file(String name) {
        return "\"model_file\": \"" + name + "\"";
    }

    private ModelPackage pack(String... variants) throws IOException {
        return manifest("\"components\": {\"net\": {\"variants\": {" + String.join(", ", variants) + "}}}");
    }

    private ModelPackage manifest(String members) throws IOException {
        Files.writeString(folder.resolve("manifest.json"), "{\"schema_version\": 1, " + members + "}");
        return ModelPackage.open(folder);
    }

    private float[] answer(Session made) {
        try (Session session = made) {
            return TestModels.answer(session, WIDTH);
        }
    }

    private void assertTakes(String variantFolder, ModelPackage pack, SessionOptions options) {
        Path model = folder.resolve(variantFolder).resolve("net.onnx");
        assertThat(answer(engine.session(pack, options)))
                .containsExactly(answer(engine.session(model, SessionOptions.defaults())));
    }

    private static void assertRefused(Status status, ThrowingCallable act, String... parts) {
        assertThatThrownBy(act)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    @Test
    @Rows(137)
    void componentsAndVariantsAreNamedAsTheyAreDeclared() throws IOException {
        String one = "\"variants\": {" + variant("b", "", file("one/net.onnx")) + ", "
                + variant("a", "", file("two/net.onnx")) + "}";
        ModelPackage pack = manifest("\"components\": {\"encoder\": {" + one + "}, \"decoder\": {" + one + "}}");

        assertThat(pack.components()).containsExactly("encoder", "decoder");
        assertThat(pack.variants("encoder")).containsExactly("b", "a");
        assertRefused(Status.INVALID_ARGUMENT, () -> pack.variants("head"), "'head'", "encoder", "decoder");
        assertRefused(Status.INVALID_ARGUMENT, () -> engine.session(pack, SessionOptions.defaults()), "say which");
        assertThat(answer(engine.session(pack, "decoder", SessionOptions.defaults())))
                .hasSize(WIDTH);
    }

    @Test
    @Rows(138)
    void theVariantOfADeviceThatIsHereWinsAndRuns() throws IOException {
        ModelPackage pack = pack(
                variant("npu", target("fake", "npu", "v1"), file("one/net.onnx")),
                variant("gpu", target("fake", "gpu", "v1"), file("two/net.onnx")),
                variant("cpu", target("fake", "cpu", "v1"), file("three/net.onnx")));
        assertTakes("three", pack, SessionOptions.defaults());
        assertThat(engine.modelFile(pack, "net", SessionOptions.defaults()))
                .isEqualTo(folder.resolve("three/net.onnx"));
    }

    @Test
    @Rows(139)
    void theOptimalVariantBeatsOneThatRunsInAnyOrder() throws IOException {
        fake.verdicts.put("old", Compatibility.PREFER_RECOMPILATION);
        fake.verdicts.put("none", Compatibility.NOT_APPLICABLE);
        fake.verdicts.put("bad", Compatibility.UNSUPPORTED);
        String best = variant("best", target("fake", "", "v1"), file("three/net.onnx"));
        String old = variant("old", target("fake", "", "old"), file("two/net.onnx"));
        String none = variant("none", target("fake", "", "none"), file("one/net.onnx"));
        String bad = variant("bad", target("fake", "", "bad"), file("one/net.onnx"));
        for (ModelPackage pack : List.of(pack(bad, none, old, best), pack(best, old, none, bad), pack(old, best))) {
            assertTakes("three", pack, SessionOptions.defaults());
        }
        assertTakes("two", pack(bad, none, old), SessionOptions.defaults());
        assertTakes("one", pack(bad, none), SessionOptions.defaults());
    }

    @Test
    void theFirstThatIsDeclaredIsTakenOfEquals() throws IOException {
        ModelPackage pack = pack(
                variant("x", target("fake", "", "v1"), file("two/net.onnx")),
                variant("y", target("fake", "", "v1"), file("one/net.onnx")));
        assertTakes("two", pack, SessionOptions.defaults());
    }

    @Test
    void aProviderSelectsAmongEqualsByWhatThePackageStates() throws IOException {
        ModelPackage pack = pack(
                variant("x", target("fake", "", "v1"), file("two/net.onnx")),
                variant("y", target("fake", "cpu", "v1"), file("one/net.onnx")),
                variant("z", "", file("three/net.onnx")));
        fake.selected = 1;
        assertTakes("one", pack, SessionOptions.defaults());
        assertThat(fake.candidates)
                .containsExactly(
                        Map.of("variant", "x", "device", "", "compatibility", "v1"),
                        Map.of("variant", "y", "device", "cpu", "compatibility", "v1"));
        fake.selected = -1;
        assertTakes("three", pack, SessionOptions.defaults());
    }

    @Test
    void providersAreAskedInTheOrderOfTheSession() throws IOException {
        ModelPackage pack = pack(
                variant("fake", target("fake", "", "v1"), file("two/net.onnx")),
                variant("plain", target("cpu", "", ""), file("three/net.onnx")),
                variant("any", "", file("one/net.onnx")));
        var plain = SessionOptions.builder().provider("cpu").build();
        assertTakes("three", pack, plain);
        assertTakes("one", pack, SessionOptions.builder().provider("simd").build());
    }

    @Test
    @Rows(142)
    void whereNoVariantSuitsThatIsSaid() throws IOException {
        fake.verdict = Compatibility.UNSUPPORTED;
        ModelPackage pack = pack(
                variant("x", target("fake", "", "v1"), file("two/net.onnx")),
                variant("y", target("qnn", "npu", "v1"), file("one/net.onnx")));
        assertRefused(
                Status.FAIL,
                () -> engine.session(pack, SessionOptions.defaults()),
                "No suitable model variant found for the configured execution providers.",
                "[x, y]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"device\": \"cpu\"}", "{\"ep\": null}", "{\"ep\": \"\"}", "{\"ep\": 7}"})
    @Rows(140)
    void aTargetHasAProvider(String target) {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> pack(variant("x", target, file("one/net.onnx"))),
                "ep_compatibility",
                "'ep'");
    }

    @Test
    @Rows(141)
    void withoutAListOfThemComponentsAreFoundAmongTheModels() throws IOException {
        for (String name : List.of("b", "a", "without")) {
            Path of = Files.createDirectories(folder.resolve("models").resolve(name));
            Files.copy(folder.resolve("two/net.onnx"), of.resolve("net.onnx"));
        }
        for (String name : List.of("a", "b")) {
            Files.writeString(
                    folder.resolve("models").resolve(name).resolve("metadata.json"),
                    "{\"variants\": {" + variant("x", "", file("net.onnx")) + "}}");
        }
        ModelPackage pack = manifest("\"name\": \"found\"");
        assertThat(pack.components()).containsExactly("a", "b");
        assertThat(answer(engine.session(pack, "a", SessionOptions.defaults()))).hasSize(WIDTH);
    }

    @Test
    @Rows(143)
    void anAssetIsTheFileOfItsDigest() throws IOException, NoSuchAlgorithmException {
        byte[] model = Files.readAllBytes(folder.resolve("two/net.onnx"));
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(model));
        Path asset = Files.createDirectories(folder.resolve("assets").resolve(digest))
                .resolve("net.onnx");
        Files.write(asset, model);
        String variant = variant("x", "", file("sha256:" + digest + "/net.onnx"));
        assertTakes("two", pack(variant), SessionOptions.defaults());

        Files.copy(folder.resolve("one/net.onnx"), asset, StandardCopyOption.REPLACE_EXISTING);
        assertRefused(Status.INVALID_ARGUMENT, () -> pack(variant), "was changed");
        assertRefused(Status.INVALID_ARGUMENT, () -> pack(variant("x", "", file("sha256:12ab"))), "no digest");
    }

    private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static String option(String key, String value) {
        return "\"" + key + "\": \"" + value + "\"";
    }

    /** A model whose weights lie in a file of external data called {@code weights.bin}, in another folder. */
    private byte[] splitModel(Path weights) throws IOException {
        Path both = Files.createDirectories(folder.resolve("both"));
        Models.write(
                Models.read(folder.resolve("two/net.onnx")),
                both.resolve("net.onnx"),
                WriteOptions.externalData("weights.bin", 1));
        Files.createDirectories(weights);
        Files.move(both.resolve("weights.bin"), weights.resolve("weights.bin"));
        byte[] model = Files.readAllBytes(both.resolve("net.onnx"));
        Files.delete(both.resolve("net.onnx"));
        Files.delete(both);
        return model;
    }

    @Test
    @Rows(143)
    void weightsOfSeveralVariantsAreASharedAsset() throws IOException, NoSuchAlgorithmException {
        Path staged = folder.resolve("staged");
        byte[] model = splitModel(staged);
        String lines = sha256(Files.readAllBytes(staged.resolve("weights.bin"))) + "  weights.bin\n";
        String digest = sha256(lines.getBytes(StandardCharsets.UTF_8));
        Path asset = Files.createDirectories(folder.resolve("shared_assets")).resolve("sha256-" + digest);
        Files.move(staged, asset);
        Files.write(Files.createDirectories(folder.resolve("net/cpu")).resolve("model.onnx"), model);
        Files.writeString(
                folder.resolve("net/cpu/ort.json"),
                "{" + file("model.onnx") + ", \"session_options\": {" + option(FOLDER_KEY, "sha256:" + digest) + "}}");
        Files.writeString(folder.resolve("net/component.json"), """
            {"variants": {"cpu": {"ep": "CPUExecutionProvider", "device": "cpu", "executor_info": {"ort": "ort.json"}}}}
            """);
        Files.writeString(folder.resolve("manifest.json"), """
            {"schema_version": "1.0", "layout": "portable", "components": {"net": "net"}}\
            """);
        assertTakes("two", ModelPackage.open(folder), SessionOptions.defaults());

        Files.write(asset.resolve("weights.bin"), new byte[4]);
        assertRefused(Status.INVALID_ARGUMENT, () -> ModelPackage.open(folder), "was changed", digest);
        Files.delete(asset.resolve("weights.bin"));
        Files.createSymbolicLink(asset.resolve("weights.bin"), folder.resolve("two/net.onnx"));
        assertRefused(Status.FAIL, () -> ModelPackage.open(folder), "symbolic link");
    }

    @Test
    @Rows(143)
    void pathsOfAVariantAreFoundInThePackageAndOnesOfTheCallerWin() throws IOException {
        Path weights = folder.resolve("weights");
        Files.write(folder.resolve("split.onnx"), splitModel(weights));
        Path empty = Files.createDirectories(folder.resolve("empty"));
        ModelPackage pack = pack(variant(
                "x", "", file("split.onnx") + ", \"session_options\": {" + option(FOLDER_KEY, "weights") + "}"));
        assertTakes("two", pack, SessionOptions.defaults());
        assertRefused(
                Status.NO_SUCH_FILE,
                () -> engine.session(
                        pack, SessionOptions.builder().externalDataFolder(empty).build()),
                "empty",
                "weights.bin");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> pack(variant(
                        "x",
                        "",
                        file("split.onnx") + ", \"session_options\": {" + option(FOLDER_KEY, "one/net.onnx") + "}")),
                "no folder");
    }

    @Test
    @Rows(143)
    void aVariantNamesItsSourceAndWhereItsBinariesLie() throws IOException {
        Path compiled = Files.createDirectories(folder.resolve("compiled"));
        engine.compiler(CompileOptions.builder().weightless(WeightlessMode.ALL).build())
                .compile(
                        ModelInput.file(folder.resolve("two/net.onnx")),
                        ModelOutput.file(compiled.resolve("net_ctx.onnx")));
        Path apart = Files.createDirectories(folder.resolve("apart"));
        Files.move(compiled.resolve("net_ctx.onnx"), apart.resolve("net_ctx.onnx"));
        String source = option("ep.context_source_model_path", "two/net.onnx");
        String place = option("ep.context_file_path", "compiled/net_ctx.onnx");
        String body = file("apart/net_ctx.onnx") + ", \"session_options\": {";
        assertTakes("two", pack(variant("x", "", body + source + ", " + place + "}")), SessionOptions.defaults());
        assertRefused(
                Status.INVALID_GRAPH,
                () -> engine.session(pack(variant("x", "", body + source + "}")), SessionOptions.defaults()),
                "net_ctx");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> pack(variant("x", "", body + option("ep.context_source_model_path", "../net.onnx") + "}")),
                "leads out");
    }

    @ParameterizedTest
    @CsvSource({
        "/etc/hostname, no relative path",
        "C:net.onnx, no relative path",
        "one\\\\net.onnx, no relative path",
        "../net.onnx, leads out",
        "one/../../net.onnx, leads out",
        "one, no file",
        "gone.onnx, no file",
        "link/hostname, leads out"
    })
    @Rows(143)
    void noNameLeadsOutOfThePackage(String name, String why) throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc"));
        assertRefused(Status.INVALID_ARGUMENT, () -> pack(variant("x", "", file(name))), why);
    }

    @Test
    void optionsOfAVariantAreThoseOfItsSession() throws IOException {
        String strict = file("two/net.onnx") + ", \"provider_options\": {\"strict\": \"maybe\"}";
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> engine.session(pack(variant("x", target("simd", "", ""), strict)), SessionOptions.defaults()),
                "'strict'",
                "maybe");
        String noCompiling = file("two/net.onnx") + ", \"session_options\": {\"session.disable_model_compile\": \"1\"}";
        assertRefused(
                Status.MODEL_REQUIRES_COMPILATION,
                () -> engine.session(pack(variant("x", "", noCompiling)), SessionOptions.defaults()),
                "simd");
        String writes = file("two/net.onnx") + ", \"session_options\": {\"ep.context_enable\": \"1\"}";
        assertRefused(Status.INVALID_ARGUMENT, () -> pack(variant("x", "", writes)), "ep.context_enable");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"schema_version\": 2}",
                "{\"schema_version\": \"2.0\"}",
                "{\"schema_version\": \"1.0\", \"components\": {\"a\": \"gone\"}}",
                "{\"schema_version\": \"1.0\", \"components\": {\"a\": \"../a\"}}",
                "{\"schema_version\": 1}",
                "{\"schema_version\": 1, \"schema_version\": 1}",
                "{\"schema_version\": 1} {}",
                "{\"schema_version\": 1, \"components\": {\"a\": 1}}",
                "{\"schema_version\": 1, \"components\": {\"a\": {\"variants\": {\"x\": {}}}}}",
                "{\"schema_version\": \"\\u00zz\"}",
                "{\"a\": tru}"
            })
    void whatIsNoManifestIsRefused(String text) throws IOException {
        Files.writeString(folder.resolve("manifest.json"), text);
        assertRefused(Status.INVALID_ARGUMENT, () -> ModelPackage.open(folder), "manifest.json");
    }

    @Test
    void aPackageIsNoModelAndAModelNoPackage() throws IOException {
        pack(variant("x", "", file("one/net.onnx")));
        assertRefused(Status.INVALID_ARGUMENT, () -> engine.session(folder), "ModelPackage.open");
        assertRefused(Status.NO_SUCH_FILE, () -> ModelPackage.open(folder.resolve("one")), "manifest.json");
    }
}
