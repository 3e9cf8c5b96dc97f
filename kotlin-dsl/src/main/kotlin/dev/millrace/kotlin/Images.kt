package dev.millrace.kotlin

import dev.millrace.pipelines.ScoredLabel
import dev.millrace.pipelines.Stage
import dev.millrace.pipelines.image.Detection
import dev.millrace.pipelines.image.DetectionOptions
import dev.millrace.pipelines.image.FaceDetector
import dev.millrace.pipelines.image.ImageClassifier
import dev.millrace.pipelines.image.ImageInput
import dev.millrace.pipelines.image.LabelMask
import dev.millrace.pipelines.image.ObjectDetector
import dev.millrace.pipelines.image.RgbImage
import dev.millrace.pipelines.image.Segmenter
import dev.millrace.pipelines.image.TextDetector
import dev.millrace.pipelines.image.TextDirection
import dev.millrace.pipelines.image.TextReader
import dev.millrace.pipelines.image.TextRecogniser
import dev.millrace.session.Inference

/** A stage from an image to its most likely labels. */
public fun Inference.imageClassifier(
    labels: List<String>,
    top: Int = 5,
    input: ImageInput = ImageInput.imageNet(),
): Stage<RgbImage, List<ScoredLabel>> = ImageClassifier.of(this, input, labels, top)

/** A stage from an image to the objects that a YOLO model, version 5 or later, finds in it. */
public fun Inference.yolo(
    labels: List<String>,
    input: ImageInput,
    options: DetectionOptions = DetectionOptions.defaults(),
): Stage<RgbImage, List<Detection>> = ObjectDetector.yolo(this, input, labels, options)

/** A stage from an image to the objects that a model with corners and probabilities finds; `background` is -1 for no such class. */
public fun Inference.ssd(
    labels: List<String>,
    input: ImageInput,
    background: Int = -1,
    options: DetectionOptions = DetectionOptions.defaults(),
): Stage<RgbImage, List<Detection>> = ObjectDetector.ssd(this, input, labels, background, options)

/** A stage from an image to its faces, with BlazeFace. */
public fun Inference.faceDetector(
    options: DetectionOptions = FaceDetector.defaultOptions(),
): Stage<RgbImage, List<Detection>> = FaceDetector.blazeFace(this, options)

/** A stage from an image to the class of each of its pixels. */
public fun Inference.segmenter(
    labels: List<String>,
    input: ImageInput,
): Stage<RgbImage, LabelMask> = Segmenter.of(this, input, labels)

/**
 * A reader of pages with the three models of PP-OCR.
 *
 * @param characters the characters that the recognition knows
 */
public fun textReader(
    detection: Inference,
    direction: Inference,
    recognition: Inference,
    characters: List<String>,
    options: TextDetector.Options = TextDetector.Options.defaults(),
): TextReader =
    TextReader.of(
        TextDetector.of(detection, options),
        TextDirection.of(direction, UPSIDE_DOWN),
        TextRecogniser.of(recognition, characters),
    )

/** The score from which PP-OCR takes a line to be upside down. */
private const val UPSIDE_DOWN = 0.9
