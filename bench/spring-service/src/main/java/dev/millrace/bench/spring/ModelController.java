package dev.millrace.bench.spring;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.server.PlainModels;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The models, each at the path of its name. */
@RestController
class ModelController {
    private final PlainModels models;

    ModelController(PlainModels models) {
        this.models = models;
    }

    @PostMapping(path = "/{model}", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
    byte[] answer(@PathVariable String model, @RequestBody byte[] body) throws OrtException {
        return models.answer(model, body);
    }
}
