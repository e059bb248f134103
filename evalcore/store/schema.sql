-- The results store. Built by build.py from the catalogue and the figures; never edited.
-- A fraction is in [0, 1]; NULL means unknown and is never stored as zero.

CREATE TABLE meta (
    key   VARCHAR PRIMARY KEY,
    value VARCHAR NOT NULL
);
COMMENT ON COLUMN meta.key IS 'version (hash of everything the store was built from) or built (time, UTC)';
COMMENT ON COLUMN meta.value IS 'the value as text';

CREATE TABLE source (
    id        VARCHAR PRIMARY KEY CHECK (id <> ''),
    title     VARCHAR NOT NULL,
    url       VARCHAR,
    published VARCHAR,
    relation  VARCHAR NOT NULL,
    suite     VARCHAR,
    licence   VARCHAR,
    note      VARCHAR
);
COMMENT ON COLUMN source.id IS 'short name, also the name of the figures file';
COMMENT ON COLUMN source.title IS 'title of the paper, board or file';
COMMENT ON COLUMN source.url IS 'where it can be read';
COMMENT ON COLUMN source.published IS 'year and month';
COMMENT ON COLUMN source.relation IS 'paper, third party, maker, measured here or documentation';
COMMENT ON COLUMN source.suite IS 'the suite that its scores form';
COMMENT ON COLUMN source.licence IS 'terms of the source';
COMMENT ON COLUMN source.note IS 'what a reader must know before using the numbers';

CREATE TABLE suite (
    suite        VARCHAR PRIMARY KEY,
    name         VARCHAR NOT NULL,
    source       VARCHAR NOT NULL REFERENCES source (id),
    default_axis VARCHAR NOT NULL,
    question     VARCHAR NOT NULL,
    mixed        BOOLEAN NOT NULL,
    current      BOOLEAN NOT NULL,
    note         VARCHAR
);
COMMENT ON COLUMN suite.suite IS 'id of a set of scores taken under one protocol';
COMMENT ON COLUMN suite.name IS 'name on screen';
COMMENT ON COLUMN suite.source IS 'where its scores come from';
COMMENT ON COLUMN suite.default_axis IS 'the axis shown first';
COMMENT ON COLUMN suite.question IS 'what the suite answers, one sentence';
COMMENT ON COLUMN suite.mixed IS 'collected from several places, or without one stated protocol';
COMMENT ON COLUMN suite.current IS 'models of 2024 to 2026';
COMMENT ON COLUMN suite.note IS 'what a reader must know';

CREATE TABLE suite_axis (
    suite              VARCHAR NOT NULL REFERENCES suite (suite),
    axis               VARCHAR NOT NULL,
    title              VARCHAR NOT NULL,
    min_n_default      INTEGER CHECK (min_n_default >= 0),
    tags_per_item_mean DOUBLE CHECK (tags_per_item_mean >= 1),
    tags_per_item_sd   DOUBLE CHECK (tags_per_item_sd >= 0),
    note               VARCHAR,
    PRIMARY KEY (suite, axis)
);
COMMENT ON COLUMN suite_axis.suite IS 'the suite';
COMMENT ON COLUMN suite_axis.axis IS 'how its items or benchmarks are sorted into tags';
COMMENT ON COLUMN suite_axis.title IS 'name on screen';
COMMENT ON COLUMN suite_axis.min_n_default IS 'items below which the source itself leaves a tag out';
COMMENT ON COLUMN suite_axis.tags_per_item_mean IS 'mean number of tags of an item, 1 if disjoint';
COMMENT ON COLUMN suite_axis.tags_per_item_sd IS 'standard deviation of that number';
COMMENT ON COLUMN suite_axis.note IS 'what a reader must know';

CREATE TABLE erratum (
    source     VARCHAR NOT NULL REFERENCES source (id),
    topic      VARCHAR NOT NULL,
    text_says  VARCHAR NOT NULL,
    table_says VARCHAR NOT NULL,
    we_use     VARCHAR NOT NULL,
    PRIMARY KEY (source, topic)
);
COMMENT ON COLUMN erratum.source IS 'the source that disagrees with itself';
COMMENT ON COLUMN erratum.topic IS 'about what';
COMMENT ON COLUMN erratum.text_says IS 'one of the two statements, with its place';
COMMENT ON COLUMN erratum.table_says IS 'the other statement, with its place';
COMMENT ON COLUMN erratum.we_use IS 'which one Sextant uses';

CREATE TABLE metric (
    id               VARCHAR PRIMARY KEY CHECK (id <> ''),
    name             VARCHAR NOT NULL,
    unit             VARCHAR NOT NULL,
    low              DOUBLE NOT NULL,
    high             DOUBLE NOT NULL CHECK (high > low),
    higher_is_better BOOLEAN NOT NULL,
    proportion       BOOLEAN NOT NULL,
    note             VARCHAR
);
COMMENT ON COLUMN metric.id IS 'the metric, judge and inputs included';
COMMENT ON COLUMN metric.name IS 'name on screen';
COMMENT ON COLUMN metric.unit IS 'unit of the stored value';
COMMENT ON COLUMN metric.low IS 'lowest possible stored value';
COMMENT ON COLUMN metric.high IS 'highest possible stored value';
COMMENT ON COLUMN metric.higher_is_better IS 'direction';
COMMENT ON COLUMN metric.proportion IS 'a mean of 0/1 over items: an interval follows from value and n';
COMMENT ON COLUMN metric.note IS 'what a reader must know';

CREATE TABLE model (
    id                   VARCHAR PRIMARY KEY CHECK (id <> ''),
    name                 VARCHAR NOT NULL,
    maker                VARCHAR,
    family               VARCHAR,
    kind                 VARCHAR NOT NULL CHECK (kind IN ('generative', 'contrastive')),
    params_b             DOUBLE CHECK (params_b > 0),
    params_basis         VARCHAR,
    active_params_b      DOUBLE CHECK (active_params_b > 0),
    image_tower_params_m DOUBLE CHECK (image_tower_params_m > 0),
    train_data           VARCHAR,
    train_data_m         DOUBLE CHECK (train_data_m > 0),
    samples_seen_b       DOUBLE CHECK (samples_seen_b > 0),
    gflops               DOUBLE CHECK (gflops > 0),
    architecture         VARCHAR,
    patch_size           INTEGER CHECK (patch_size > 0),
    learning_objective   VARCHAR,
    released             VARCHAR,
    status               VARCHAR,
    open_weights         BOOLEAN,
    licence              VARCHAR,
    source               VARCHAR NOT NULL REFERENCES source (id),
    note                 VARCHAR
);
COMMENT ON COLUMN model.id IS 'the maker''s release name as a slug; checkpoints keep their table''s prefix';
COMMENT ON COLUMN model.name IS 'name on screen';
COMMENT ON COLUMN model.maker IS 'who released it';
COMMENT ON COLUMN model.family IS 'models of one line';
COMMENT ON COLUMN model.kind IS 'generative (answers in text) or contrastive (compares image and text)';
COMMENT ON COLUMN model.params_b IS 'real total of parameters, billions';
COMMENT ON COLUMN model.params_basis IS 'counted, or nominal (from the name)';
COMMENT ON COLUMN model.active_params_b IS 'parameters used per token, billions';
COMMENT ON COLUMN model.image_tower_params_m IS 'parameters of the image tower, millions';
COMMENT ON COLUMN model.train_data IS 'name of the training set';
COMMENT ON COLUMN model.train_data_m IS 'image-text pairs in the training set, millions';
COMMENT ON COLUMN model.samples_seen_b IS 'pairs seen in training, repeats counted, billions';
COMMENT ON COLUMN model.gflops IS 'billions of floating-point operations per image-text pair';
COMMENT ON COLUMN model.architecture IS 'architecture as the source names it';
COMMENT ON COLUMN model.patch_size IS 'side of an image patch, pixels';
COMMENT ON COLUMN model.learning_objective IS 'what it was trained for';
COMMENT ON COLUMN model.released IS 'year and month';
COMMENT ON COLUMN model.status IS 'available or retired, as far as a source says';
COMMENT ON COLUMN model.open_weights IS 'can the weights be downloaded';
COMMENT ON COLUMN model.licence IS 'licence of the weights';
COMMENT ON COLUMN model.source IS 'where these facts come from';
COMMENT ON COLUMN model.note IS 'what a reader must know';

CREATE TABLE deployment (
    model   VARCHAR PRIMARY KEY REFERENCES model (id),
    adapter VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    note    VARCHAR
);
COMMENT ON COLUMN deployment.model IS 'the model';
COMMENT ON COLUMN deployment.adapter IS 'what runs it';
COMMENT ON COLUMN deployment.options IS 'the adapter''s options, JSON';
COMMENT ON COLUMN deployment.note IS 'what a reader must know';

CREATE TABLE benchmark (
    id             VARCHAR PRIMARY KEY CHECK (id <> ''),
    name           VARCHAR NOT NULL,
    family         VARCHAR,
    task           VARCHAR NOT NULL,
    judge          VARCHAR,
    metric         VARCHAR NOT NULL REFERENCES metric (id),
    chance         DOUBLE CHECK (chance >= 0 AND chance < 1),
    n_items        INTEGER CHECK (n_items > 0),
    n_items_source VARCHAR,
    n_classes      INTEGER CHECK (n_classes > 1),
    type           VARCHAR,
    capability     VARCHAR,
    curated        BOOLEAN,
    object_centric BOOLEAN,
    source         VARCHAR NOT NULL REFERENCES source (id),
    note           VARCHAR
);
COMMENT ON COLUMN benchmark.id IS 'family, edition and split';
COMMENT ON COLUMN benchmark.name IS 'name on screen';
COMMENT ON COLUMN benchmark.family IS 'the benchmark of which it is an edition or split';
COMMENT ON COLUMN benchmark.task IS 'open question, choice, number, zero-shot, relation, retrieval';
COMMENT ON COLUMN benchmark.judge IS 'how an answer is scored';
COMMENT ON COLUMN benchmark.metric IS 'the metric that chance refers to';
COMMENT ON COLUMN benchmark.chance IS 'what guessing scores under that metric, fraction';
COMMENT ON COLUMN benchmark.n_items IS 'items in the test set';
COMMENT ON COLUMN benchmark.n_items_source IS 'where that count comes from';
COMMENT ON COLUMN benchmark.n_classes IS 'number of classes, if classes are told apart';
COMMENT ON COLUMN benchmark.type IS 'one of the seven UniBench types';
COMMENT ON COLUMN benchmark.capability IS 'one of the eighteen UniBench capabilities';
COMMENT ON COLUMN benchmark.curated IS 'collected for the purpose rather than found';
COMMENT ON COLUMN benchmark.object_centric IS 'one object fills the image';
COMMENT ON COLUMN benchmark.source IS 'where these facts come from';
COMMENT ON COLUMN benchmark.note IS 'what a reader must know';

CREATE TABLE benchmark_size (
    benchmark VARCHAR NOT NULL REFERENCES benchmark (id),
    split     VARCHAR NOT NULL,
    n_items   INTEGER NOT NULL CHECK (n_items > 0),
    parts     VARCHAR,
    source    VARCHAR NOT NULL CHECK (source <> ''),
    note      VARCHAR,
    PRIMARY KEY (benchmark, split)
);
COMMENT ON COLUMN benchmark_size.benchmark IS 'the benchmark';
COMMENT ON COLUMN benchmark_size.split IS 'its split or variant, as in score';
COMMENT ON COLUMN benchmark_size.n_items IS 'items in that split';
COMMENT ON COLUMN benchmark_size.parts IS 'items of each part (1200;500), where the score is the plain mean over parts';
COMMENT ON COLUMN benchmark_size.source IS 'where that count stands';
COMMENT ON COLUMN benchmark_size.note IS 'what a reader must know';

CREATE TABLE need (
    need   VARCHAR NOT NULL CHECK (need <> ''),
    family VARCHAR NOT NULL CHECK (family <> ''),
    why    VARCHAR NOT NULL,
    PRIMARY KEY (need, family)
);
COMMENT ON COLUMN need.need IS 'what a person needs a model to do';
COMMENT ON COLUMN need.family IS 'a family of benchmarks that speaks for it';
COMMENT ON COLUMN need.why IS 'what these benchmarks ask';

CREATE TABLE mode (
    mode       VARCHAR PRIMARY KEY,
    kind       VARCHAR NOT NULL CHECK (kind IN ('plain', 'thinking', 'effort', 'compression',
                                                'few-shot', 'fine-tuned', 'tools')),
    by_default BOOLEAN NOT NULL,
    note       VARCHAR
);
COMMENT ON COLUMN mode.mode IS 'the mode as in score; empty where a row names none';
COMMENT ON COLUMN mode.kind IS 'plain, thinking, effort, compression, few-shot, fine-tuned or tools';
COMMENT ON COLUMN mode.by_default IS 'does it compete unasked';
COMMENT ON COLUMN mode.note IS 'what a reader must know';

CREATE TABLE price (
    model            VARCHAR NOT NULL REFERENCES model (id),
    mode             VARCHAR NOT NULL REFERENCES mode (mode),
    provider         VARCHAR NOT NULL CHECK (provider <> ''),
    by_maker         BOOLEAN NOT NULL,
    usd_per_mtok_in  DOUBLE NOT NULL CHECK (usd_per_mtok_in > 0),
    usd_per_mtok_out DOUBLE NOT NULL CHECK (usd_per_mtok_out > 0),
    as_of            VARCHAR NOT NULL CHECK (as_of <> ''),
    until            VARCHAR,
    deprecated       BOOLEAN NOT NULL,
    printed_model    VARCHAR NOT NULL,
    source           VARCHAR NOT NULL CHECK (source <> ''),
    note             VARCHAR,
    PRIMARY KEY (model, mode, provider, printed_model, as_of, source)
);
COMMENT ON COLUMN price.model IS 'the model';
COMMENT ON COLUMN price.mode IS 'the mode it holds for, empty for every mode without a row of its own';
COMMENT ON COLUMN price.provider IS 'who sells it';
COMMENT ON COLUMN price.by_maker IS 'is that the model''s maker';
COMMENT ON COLUMN price.usd_per_mtok_in IS 'US dollars per million tokens sent, pictures included';
COMMENT ON COLUMN price.usd_per_mtok_out IS 'US dollars per million tokens written, thinking included';
COMMENT ON COLUMN price.as_of IS 'day, month or year of the price';
COMMENT ON COLUMN price.until IS 'last day on which it holds, if the source names one';
COMMENT ON COLUMN price.deprecated IS 'the offer was withdrawn or marked for it';
COMMENT ON COLUMN price.printed_model IS 'the model''s name in the source';
COMMENT ON COLUMN price.source IS 'where the price stands';
COMMENT ON COLUMN price.note IS 'what a reader must know';

CREATE TABLE image_rule (
    model   VARCHAR NOT NULL REFERENCES model (id),
    rule    VARCHAR,
    options VARCHAR NOT NULL,
    as_of   VARCHAR NOT NULL CHECK (as_of <> ''),
    source  VARCHAR NOT NULL CHECK (source <> ''),
    note    VARCHAR,
    PRIMARY KEY (model, as_of, source)
);
COMMENT ON COLUMN image_rule.model IS 'the model';
COMMENT ON COLUMN image_rule.rule IS 'how a picture becomes tokens; NULL if no complete rule is known';
COMMENT ON COLUMN image_rule.options IS 'the rule''s own numbers, JSON';
COMMENT ON COLUMN image_rule.as_of IS 'day or month of the rule';
COMMENT ON COLUMN image_rule.source IS 'where the rule stands';
COMMENT ON COLUMN image_rule.note IS 'what a reader must know';

CREATE TABLE output_tokens (
    model  VARCHAR NOT NULL REFERENCES model (id),
    mode   VARCHAR NOT NULL REFERENCES mode (mode),
    mean   DOUBLE NOT NULL CHECK (mean > 0),
    most   DOUBLE CHECK (most >= mean),
    n      INTEGER CHECK (n > 0),
    source VARCHAR NOT NULL CHECK (source <> ''),
    note   VARCHAR,
    PRIMARY KEY (model, mode, source)
);
COMMENT ON COLUMN output_tokens.model IS 'the model';
COMMENT ON COLUMN output_tokens.mode IS 'exactly this mode';
COMMENT ON COLUMN output_tokens.mean IS 'tokens of an answer on average';
COMMENT ON COLUMN output_tokens.most IS 'tokens of the longest answer';
COMMENT ON COLUMN output_tokens.n IS 'answers behind the mean';
COMMENT ON COLUMN output_tokens.source IS 'whose run';
COMMENT ON COLUMN output_tokens.note IS 'what a reader must know';

CREATE TABLE thinking (
    model  VARCHAR PRIMARY KEY REFERENCES model (id),
    thinks VARCHAR NOT NULL CHECK (thinks IN ('always', 'on', 'off', 'unknown')),
    source VARCHAR NOT NULL CHECK (source <> ''),
    note   VARCHAR
);
COMMENT ON COLUMN thinking.model IS 'a model that can think before it answers';
COMMENT ON COLUMN thinking.thinks IS 'does it when nobody asks: always, on or off by default, unknown';
COMMENT ON COLUMN thinking.source IS 'where that stands';
COMMENT ON COLUMN thinking.note IS 'what a reader must know';

CREATE TABLE gpu_price (
    gpu               VARCHAR NOT NULL CHECK (gpu <> ''),
    memory_gb         DOUBLE NOT NULL CHECK (memory_gb > 0),
    usd_per_hour_low  DOUBLE NOT NULL CHECK (usd_per_hour_low > 0),
    usd_per_hour_high DOUBLE NOT NULL CHECK (usd_per_hour_high >= usd_per_hour_low),
    as_of             VARCHAR NOT NULL CHECK (as_of <> ''),
    source            VARCHAR NOT NULL CHECK (source <> ''),
    PRIMARY KEY (gpu, as_of, source)
);
COMMENT ON COLUMN gpu_price.gpu IS 'the card as the source names it';
COMMENT ON COLUMN gpu_price.memory_gb IS 'its memory, gigabytes';
COMMENT ON COLUMN gpu_price.usd_per_hour_low IS 'lowest rent the source gives, US dollars an hour';
COMMENT ON COLUMN gpu_price.usd_per_hour_high IS 'highest rent the source gives, US dollars an hour';
COMMENT ON COLUMN gpu_price.as_of IS 'day or month, or undated with the commit that was read';
COMMENT ON COLUMN gpu_price.source IS 'where the rent stands';

CREATE TABLE cache_shape (
    model    VARCHAR PRIMARY KEY REFERENCES model (id),
    layers   INTEGER NOT NULL CHECK (layers > 0),
    kv_heads INTEGER NOT NULL CHECK (kv_heads > 0),
    head_dim INTEGER NOT NULL CHECK (head_dim > 0),
    source   VARCHAR NOT NULL CHECK (source <> ''),
    note     VARCHAR
);
COMMENT ON COLUMN cache_shape.model IS 'the model';
COMMENT ON COLUMN cache_shape.layers IS 'layers that keep keys and values for every token';
COMMENT ON COLUMN cache_shape.kv_heads IS 'heads of keys and values';
COMMENT ON COLUMN cache_shape.head_dim IS 'numbers in a head';
COMMENT ON COLUMN cache_shape.source IS 'where that stands';
COMMENT ON COLUMN cache_shape.note IS 'what a reader must know';

CREATE TABLE availability (
    model     VARCHAR PRIMARY KEY REFERENCES model (id),
    status    VARCHAR NOT NULL CHECK (status IN ('available', 'deprecated', 'retired', 'announced')),
    "on"      VARCHAR,
    successor VARCHAR,
    source    VARCHAR NOT NULL CHECK (source <> ''),
    checked   VARCHAR NOT NULL CHECK (checked <> ''),
    note      VARCHAR
);
COMMENT ON COLUMN availability.model IS 'the model';
COMMENT ON COLUMN availability.status IS 'available, deprecated, retired or announced on the day checked';
COMMENT ON COLUMN availability."on" IS 'when it ended, will end or is due';
COMMENT ON COLUMN availability.successor IS 'what the source names as replacement';
COMMENT ON COLUMN availability.source IS 'where that stands';
COMMENT ON COLUMN availability.checked IS 'the day of the source''s state';
COMMENT ON COLUMN availability.note IS 'what a reader must know';

CREATE TABLE licence (
    licence       VARCHAR PRIMARY KEY CHECK (licence <> ''),
    licence_class VARCHAR NOT NULL CHECK (licence_class IN ('permissive', 'conditions',
                                                            'non-commercial', 'unknown')),
    commercial    BOOLEAN,
    condition     VARCHAR NOT NULL,
    source        VARCHAR NOT NULL CHECK (source <> '')
);
COMMENT ON COLUMN licence.licence IS 'the licence as printed with the models';
COMMENT ON COLUMN licence.licence_class IS 'permissive, conditions, non-commercial or unknown';
COMMENT ON COLUMN licence.commercial IS 'is commercial use allowed, perhaps under the condition';
COMMENT ON COLUMN licence.condition IS 'what it asks, one sentence';
COMMENT ON COLUMN licence.source IS 'where the licence stands';

CREATE TABLE score (
    source        VARCHAR NOT NULL REFERENCES source (id),
    model         VARCHAR NOT NULL REFERENCES model (id),
    mode          VARCHAR NOT NULL REFERENCES mode (mode),
    benchmark     VARCHAR NOT NULL REFERENCES benchmark (id),
    split         VARCHAR NOT NULL,
    axis          VARCHAR NOT NULL,
    tag           VARCHAR NOT NULL,
    metric        VARCHAR NOT NULL REFERENCES metric (id),
    judge         VARCHAR NOT NULL,
    value         DOUBLE NOT NULL CHECK (value >= 0 AND value <= 1),
    n             INTEGER CHECK (n > 0),
    sd            DOUBLE CHECK (sd >= 0),
    sd_over       VARCHAR CHECK (sd_over IN ('items', 'judge repeats')),
    repeats       INTEGER CHECK (repeats > 0),
    kind          VARCHAR NOT NULL CHECK (kind IN ('published', 'measured', 'imported')),
    printed_model VARCHAR NOT NULL,
    printed_value VARCHAR NOT NULL,
    printed_unit  VARCHAR NOT NULL,
    suspect       BOOLEAN NOT NULL,
    note          VARCHAR,
    PRIMARY KEY (source, model, mode, benchmark, split, axis, tag, metric, judge),
    CHECK ((sd IS NULL) = (sd_over IS NULL))
);
COMMENT ON COLUMN score.source IS 'where the value comes from';
COMMENT ON COLUMN score.model IS 'the model';
COMMENT ON COLUMN score.mode IS 'inference mode (thinking, effort, tools), empty for the plain one';
COMMENT ON COLUMN score.benchmark IS 'the benchmark';
COMMENT ON COLUMN score.split IS 'split or variant, empty if there is one';
COMMENT ON COLUMN score.axis IS 'how the items are sorted: task_type, type, benchmark ...';
COMMENT ON COLUMN score.tag IS 'which of the axis'' groups; total for all of them';
COMMENT ON COLUMN score.metric IS 'what is measured';
COMMENT ON COLUMN score.judge IS 'the judge model, empty if there is none';
COMMENT ON COLUMN score.value IS 'the score, fraction';
COMMENT ON COLUMN score.n IS 'items behind the value, as the source gives them';
COMMENT ON COLUMN score.sd IS 'standard deviation, fraction';
COMMENT ON COLUMN score.sd_over IS 'what that spread is over: items or judge repeats';
COMMENT ON COLUMN score.repeats IS 'number of judge repeats';
COMMENT ON COLUMN score.kind IS 'published, measured or imported';
COMMENT ON COLUMN score.printed_model IS 'the model''s name in the source';
COMMENT ON COLUMN score.printed_value IS 'the value as the source prints it';
COMMENT ON COLUMN score.printed_unit IS 'the unit of the printed value';
COMMENT ON COLUMN score.suspect IS 'kept as printed but out of rankings by default';
COMMENT ON COLUMN score.note IS 'what a reader must know';

CREATE TABLE judge_validation (
    source              VARCHAR NOT NULL REFERENCES source (id),
    metric              VARCHAR NOT NULL,
    judge               VARCHAR NOT NULL,
    with_reference      BOOLEAN NOT NULL,
    with_image          BOOLEAN NOT NULL,
    accuracy            DOUBLE NOT NULL CHECK (accuracy >= 0 AND accuracy <= 1),
    kendall_tau         DOUBLE NOT NULL CHECK (kendall_tau >= -1 AND kendall_tau <= 1),
    n                   INTEGER CHECK (n > 0),
    printed_accuracy    VARCHAR NOT NULL,
    printed_kendall_tau VARCHAR NOT NULL,
    printed_in_paper    BOOLEAN NOT NULL,
    note                VARCHAR,
    PRIMARY KEY (source, metric, judge, with_reference, with_image)
);
COMMENT ON COLUMN judge_validation.source IS 'where it comes from';
COMMENT ON COLUMN judge_validation.metric IS 'the metric that was checked';
COMMENT ON COLUMN judge_validation.judge IS 'the judge model, empty if none';
COMMENT ON COLUMN judge_validation.with_reference IS 'did the judge see reference answers';
COMMENT ON COLUMN judge_validation.with_image IS 'did the judge see the image';
COMMENT ON COLUMN judge_validation.accuracy IS 'agreement with human labels, fraction';
COMMENT ON COLUMN judge_validation.kendall_tau IS 'Kendall''s tau with human labels, -1 to 1';
COMMENT ON COLUMN judge_validation.n IS 'human labels behind it';
COMMENT ON COLUMN judge_validation.printed_accuracy IS 'accuracy as printed, per cent';
COMMENT ON COLUMN judge_validation.printed_kendall_tau IS 'tau as printed, per cent';
COMMENT ON COLUMN judge_validation.printed_in_paper IS 'false if only in the authors'' own table';
COMMENT ON COLUMN judge_validation.note IS 'what a reader must know';

CREATE TABLE judge_example (
    source             VARCHAR NOT NULL REFERENCES source (id),
    place              VARCHAR NOT NULL,
    question           VARCHAR NOT NULL,
    printed_references VARCHAR NOT NULL,
    model              VARCHAR NOT NULL REFERENCES model (id),
    answer             VARCHAR NOT NULL,
    human              BOOLEAN NOT NULL,
    metric             VARCHAR NOT NULL,
    judge              VARCHAR NOT NULL,
    judged             BOOLEAN NOT NULL,
    PRIMARY KEY (source, place)
);
COMMENT ON COLUMN judge_example.source IS 'where it comes from';
COMMENT ON COLUMN judge_example.place IS 'the table and row in the source';
COMMENT ON COLUMN judge_example.question IS 'the question as printed';
COMMENT ON COLUMN judge_example.printed_references IS 'the reference answers as printed';
COMMENT ON COLUMN judge_example.model IS 'the model that answered';
COMMENT ON COLUMN judge_example.answer IS 'its answer as printed';
COMMENT ON COLUMN judge_example.human IS 'do people call it right';
COMMENT ON COLUMN judge_example.metric IS 'the metric that judged it';
COMMENT ON COLUMN judge_example.judge IS 'the judge model';
COMMENT ON COLUMN judge_example.judged IS 'does the judge call it right';

CREATE TABLE group_summary (
    source        VARCHAR NOT NULL REFERENCES source (id),
    axis          VARCHAR NOT NULL,
    tag           VARCHAR NOT NULL,
    printed_tag   VARCHAR NOT NULL,
    statistic     VARCHAR NOT NULL CHECK (statistic IN ('mean', 'best', 'worst')),
    model_family  VARCHAR NOT NULL,
    value         DOUBLE NOT NULL CHECK (value >= 0 AND value <= 1),
    printed_value VARCHAR NOT NULL,
    printed_unit  VARCHAR NOT NULL,
    PRIMARY KEY (source, axis, tag, statistic)
);
COMMENT ON COLUMN group_summary.source IS 'where it comes from';
COMMENT ON COLUMN group_summary.axis IS 'type or capability';
COMMENT ON COLUMN group_summary.tag IS 'the group; total for all benchmarks';
COMMENT ON COLUMN group_summary.printed_tag IS 'the group''s name in the source';
COMMENT ON COLUMN group_summary.statistic IS 'mean over models, best or worst model';
COMMENT ON COLUMN group_summary.model_family IS 'the family named as best or worst, empty for a mean';
COMMENT ON COLUMN group_summary.value IS 'fraction';
COMMENT ON COLUMN group_summary.printed_value IS 'as printed';
COMMENT ON COLUMN group_summary.printed_unit IS 'unit of the printed value';

CREATE TABLE scale_ratio (
    source        VARCHAR NOT NULL REFERENCES source (id),
    axis          VARCHAR NOT NULL,
    tag           VARCHAR NOT NULL,
    printed_tag   VARCHAR NOT NULL,
    quantity      VARCHAR NOT NULL CHECK (quantity IN ('training data', 'model size')),
    ratio         DOUBLE NOT NULL CHECK (ratio > 0),
    printed_value VARCHAR NOT NULL,
    PRIMARY KEY (source, axis, tag, quantity)
);
COMMENT ON COLUMN scale_ratio.source IS 'where it comes from';
COMMENT ON COLUMN scale_ratio.axis IS 'type or capability';
COMMENT ON COLUMN scale_ratio.tag IS 'the group; total for all benchmarks';
COMMENT ON COLUMN scale_ratio.printed_tag IS 'the group''s name in the source';
COMMENT ON COLUMN scale_ratio.quantity IS 'training data or model size';
COMMENT ON COLUMN scale_ratio.ratio IS 'best model''s scale over the worst model''s';
COMMENT ON COLUMN scale_ratio.printed_value IS 'as printed';

CREATE TABLE representative (
    source            VARCHAR NOT NULL REFERENCES source (id),
    axis              VARCHAR NOT NULL,
    tag               VARCHAR NOT NULL,
    printed_tag       VARCHAR NOT NULL,
    benchmark         VARCHAR REFERENCES benchmark (id),
    printed_benchmark VARCHAR NOT NULL,
    correlation       DOUBLE NOT NULL CHECK (correlation >= -1 AND correlation <= 1),
    printed_value     VARCHAR NOT NULL,
    note              VARCHAR,
    PRIMARY KEY (source, axis, printed_tag)
);
COMMENT ON COLUMN representative.source IS 'where it comes from';
COMMENT ON COLUMN representative.axis IS 'type or capability';
COMMENT ON COLUMN representative.tag IS 'the group';
COMMENT ON COLUMN representative.printed_tag IS 'the group''s name in the source';
COMMENT ON COLUMN representative.benchmark IS 'the benchmark that stands for it; NULL if its name is ambiguous';
COMMENT ON COLUMN representative.printed_benchmark IS 'its name in the source';
COMMENT ON COLUMN representative.correlation IS 'with the other benchmarks of the group';
COMMENT ON COLUMN representative.printed_value IS 'as printed';
COMMENT ON COLUMN representative.note IS 'what a reader must know';

CREATE TABLE run (
    id        VARCHAR PRIMARY KEY CHECK (id <> ''),
    model     VARCHAR NOT NULL REFERENCES model (id),
    benchmark VARCHAR NOT NULL REFERENCES benchmark (id),
    judge     VARCHAR NOT NULL,
    settings  VARCHAR NOT NULL,
    created   VARCHAR NOT NULL,
    code      VARCHAR NOT NULL,
    device    VARCHAR NOT NULL,
    precision     VARCHAR,
    quantisation  VARCHAR,
    attention     VARCHAR,
    judge_version VARCHAR NOT NULL,
    seed      BIGINT NOT NULL,
    revision  VARCHAR NOT NULL,
    items     INTEGER NOT NULL CHECK (items > 0),
    answered  INTEGER NOT NULL CHECK (answered >= 0),
    failed    INTEGER NOT NULL CHECK (failed >= 0),
    scored    INTEGER NOT NULL CHECK (scored >= 0),
    seconds   DOUBLE CHECK (seconds >= 0),
    usd       DOUBLE CHECK (usd >= 0),
    CHECK (scored <= answered AND answered <= items)
);
COMMENT ON COLUMN run.id IS 'the run folder''s name and the judge''s key';
COMMENT ON COLUMN run.model IS 'the model that answered';
COMMENT ON COLUMN run.benchmark IS 'the benchmark that was asked';
COMMENT ON COLUMN run.judge IS 'who scored the answers';
COMMENT ON COLUMN run.settings IS 'everything that decides the answers, as JSON';
COMMENT ON COLUMN run.created IS 'when it began, UTC';
COMMENT ON COLUMN run.code IS 'version of evalcore';
COMMENT ON COLUMN run.device IS 'what it ran on: devices by name, or the server that was asked';
COMMENT ON COLUMN run.precision IS 'number format of the weights; NULL behind an API';
COMMENT ON COLUMN run.quantisation IS 'none, or how; NULL behind an API';
COMMENT ON COLUMN run.attention IS 'which implementation of attention; NULL behind an API';
COMMENT ON COLUMN run.judge_version IS 'version of the judge: prompt, rules, settings';
COMMENT ON COLUMN run.seed IS 'of the sample and of the model';
COMMENT ON COLUMN run.revision IS 'hash of what was asked';
COMMENT ON COLUMN run.items IS 'items asked for';
COMMENT ON COLUMN run.answered IS 'items with an answer';
COMMENT ON COLUMN run.failed IS 'items that were asked and gave no answer';
COMMENT ON COLUMN run.scored IS 'answers with a score';
COMMENT ON COLUMN run.seconds IS 'the model''s own time, seconds';
COMMENT ON COLUMN run.usd IS 'what it cost, dollars, as far as known';

CREATE TABLE run_problem (
    run    VARCHAR PRIMARY KEY,
    reason VARCHAR NOT NULL,
    counts BOOLEAN NOT NULL
);
COMMENT ON TABLE run_problem IS 'run folders that do not count, or not whole';
COMMENT ON COLUMN run_problem.run IS 'the folder''s name';
COMMENT ON COLUMN run_problem.reason IS 'what is wrong with it';
COMMENT ON COLUMN run_problem.counts IS 'whether what is whole of it counts all the same';

-- The items of runs, one by one. In a run's folder an item has one answer, and one verdict a judge
-- and repeat: keys on those two tables, of millions of rows, would take longer than all the rest.
CREATE TABLE item (
    benchmark VARCHAR NOT NULL REFERENCES benchmark (id),
    item      VARCHAR NOT NULL CHECK (item <> ''),
    digest    VARCHAR NOT NULL,
    question  VARCHAR NOT NULL,
    answers   VARCHAR NOT NULL,
    choices   VARCHAR NOT NULL,
    images    VARCHAR NOT NULL,
    cluster   VARCHAR NOT NULL,
    PRIMARY KEY (benchmark, item)
);
COMMENT ON COLUMN item.benchmark IS 'the benchmark';
COMMENT ON COLUMN item.item IS 'its id in the benchmark; id@digest where a run asked something else under that id';
COMMENT ON COLUMN item.digest IS 'hash of question, references, choices and the number of pictures';
COMMENT ON COLUMN item.question IS 'the question as asked';
COMMENT ON COLUMN item.answers IS 'reference answers, a JSON list';
COMMENT ON COLUMN item.choices IS 'answers to choose from, a JSON list; empty for an open question';
COMMENT ON COLUMN item.images IS 'paths of the pictures in order, a JSON list';
COMMENT ON COLUMN item.cluster IS 'items that share a picture or source share it; the item itself where it stands alone';

CREATE TABLE item_tag (
    benchmark VARCHAR NOT NULL,
    item      VARCHAR NOT NULL,
    axis      VARCHAR NOT NULL,
    tag       VARCHAR NOT NULL,
    PRIMARY KEY (benchmark, item, axis, tag)
);
COMMENT ON COLUMN item_tag.benchmark IS 'the benchmark';
COMMENT ON COLUMN item_tag.item IS 'the item';
COMMENT ON COLUMN item_tag.axis IS 'how the items are sorted';
COMMENT ON COLUMN item_tag.tag IS 'which of the axis'' groups';

CREATE TABLE item_asked (
    benchmark VARCHAR NOT NULL,
    revision  VARCHAR NOT NULL,
    item      VARCHAR NOT NULL,
    PRIMARY KEY (benchmark, revision, item)
);
COMMENT ON COLUMN item_asked.benchmark IS 'the benchmark';
COMMENT ON COLUMN item_asked.revision IS 'hash of what runs asked; item_run.revision';
COMMENT ON COLUMN item_asked.item IS 'an item that those runs asked, or were to ask';

CREATE TABLE item_run (
    run       VARCHAR NOT NULL CHECK (run <> ''),
    metric    VARCHAR NOT NULL,
    model     VARCHAR NOT NULL REFERENCES model (id),
    benchmark VARCHAR NOT NULL REFERENCES benchmark (id),
    judge     VARCHAR NOT NULL,
    version   VARCHAR NOT NULL,
    repeats   INTEGER NOT NULL CHECK (repeats >= 0),
    n_items   INTEGER NOT NULL CHECK (n_items > 0),
    n_scored  INTEGER NOT NULL CHECK (n_scored >= 0 AND n_scored <= n_items),
    created   VARCHAR NOT NULL,
    revision  VARCHAR NOT NULL,
    settings  VARCHAR NOT NULL,
    demo      BOOLEAN NOT NULL,
    contrastive BOOLEAN NOT NULL,
    PRIMARY KEY (run, metric)
);
COMMENT ON COLUMN item_run.run IS 'the run folder''s name';
COMMENT ON COLUMN item_run.metric IS 'what one judge''s verdicts measure';
COMMENT ON COLUMN item_run.model IS 'the model that answered';
COMMENT ON COLUMN item_run.benchmark IS 'the benchmark that was asked';
COMMENT ON COLUMN item_run.judge IS 'the judge as its verdicts name it';
COMMENT ON COLUMN item_run.version IS 'the judge''s version that counts: with the most scores, then the newest';
COMMENT ON COLUMN item_run.repeats IS 'most scores of one item';
COMMENT ON COLUMN item_run.n_items IS 'items asked for';
COMMENT ON COLUMN item_run.n_scored IS 'items with a score';
COMMENT ON COLUMN item_run.created IS 'when the run began, UTC';
COMMENT ON COLUMN item_run.revision IS 'hash of what was asked';
COMMENT ON COLUMN item_run.settings IS 'what tells runs of one model apart: its options, limit and seed, JSON';
COMMENT ON COLUMN item_run.demo IS 'shipped with Sextant, not made here';
COMMENT ON COLUMN item_run.contrastive IS 'of a contrastive model: its choices are scored as they are made, and no judge is asked';

CREATE TABLE prediction (
    run        VARCHAR NOT NULL,
    item       VARCHAR NOT NULL,
    text       VARCHAR,
    error      VARCHAR,
    seconds    DOUBLE CHECK (seconds >= 0),
    tokens_in  BIGINT CHECK (tokens_in >= 0),
    tokens_out BIGINT CHECK (tokens_out >= 0),
    usd        DOUBLE CHECK (usd >= 0),
    ended      VARCHAR
);
COMMENT ON COLUMN prediction.run IS 'the run';
COMMENT ON COLUMN prediction.item IS 'the item';
COMMENT ON COLUMN prediction.text IS 'the answer; NULL if there is none';
COMMENT ON COLUMN prediction.error IS 'why there is no usable answer';
COMMENT ON COLUMN prediction.seconds IS 'the model''s time for this item, seconds';
COMMENT ON COLUMN prediction.tokens_in IS 'tokens read';
COMMENT ON COLUMN prediction.tokens_out IS 'tokens written';
COMMENT ON COLUMN prediction.usd IS 'what it cost, dollars, if a price is known';
COMMENT ON COLUMN prediction.ended IS 'why the answer ended: finished, cut off or filtered; NULL if not known';

CREATE TABLE verdict (
    run       VARCHAR NOT NULL,
    judge     VARCHAR NOT NULL,
    version   VARCHAR NOT NULL,
    metric    VARCHAR NOT NULL,
    item      VARCHAR NOT NULL,
    "repeat"  INTEGER NOT NULL CHECK ("repeat" >= 0),
    score     DOUBLE CHECK (score >= 0 AND score <= 1),
    extracted VARCHAR,
    reason    VARCHAR,
    reply     VARCHAR,
    seconds   DOUBLE CHECK (seconds >= 0),
    usd       DOUBLE CHECK (usd >= 0)
);
COMMENT ON COLUMN verdict.run IS 'the run';
COMMENT ON COLUMN verdict.judge IS 'who judged';
COMMENT ON COLUMN verdict.version IS 'in which version: prompt, rules, settings';
COMMENT ON COLUMN verdict.metric IS 'what the verdict measures; item_run.metric';
COMMENT ON COLUMN verdict.item IS 'the item';
COMMENT ON COLUMN verdict."repeat" IS '0 for the first time';
COMMENT ON COLUMN verdict.score IS 'fraction; NULL if answer or reply could not be read';
COMMENT ON COLUMN verdict.extracted IS 'the part of the answer that was compared';
COMMENT ON COLUMN verdict.reason IS 'why this score, or why none';
COMMENT ON COLUMN verdict.reply IS 'the judge model''s own words; NULL for a rule';
COMMENT ON COLUMN verdict.seconds IS 'the judge''s time, seconds';
COMMENT ON COLUMN verdict.usd IS 'what the judgement cost, dollars, if known';

-- Everything that a source prints, in one shape: model scores and, told apart by metric,
-- the tables that are not scores of one model (model is NULL or the family that is named).
CREATE VIEW published AS
SELECT source, benchmark, axis, tag, model, metric, value, n, sd, sd_over, judge, kind, mode,
       split, printed_model, printed_value, printed_unit, note
FROM score
UNION ALL
SELECT source, NULL, axis, tag, NULL, 'group-' || statistic, value, NULL, NULL, NULL, '', 'published',
       '', '', model_family, printed_value, printed_unit, 'summary of a group, not a score of one model'
FROM group_summary
UNION ALL
SELECT source, NULL, axis, tag, NULL, 'best-to-worst ratio of ' || quantity, ratio, NULL, NULL, NULL,
       '', 'published', '', '', '', printed_value, 'times', 'a ratio of scales, not a score'
FROM scale_ratio
UNION ALL
SELECT source, benchmark, axis, tag, NULL, 'representative-correlation', correlation, NULL, NULL, NULL,
       '', 'published', '', '', printed_benchmark, printed_value, 'correlation',
       'the benchmark that stands for its group, not a score'
FROM representative
UNION ALL
SELECT source, NULL, 'judge', metric || CASE WHEN with_reference THEN '+reference' ELSE '' END
       || CASE WHEN with_image THEN '+image' ELSE '' END, NULL, 'judge-accuracy', accuracy, n, NULL, NULL,
       judge, 'published', '', '', metric, printed_accuracy, '%', 'agreement of a judge with people, not a score'
FROM judge_validation
UNION ALL
SELECT source, NULL, 'judge', metric || CASE WHEN with_reference THEN '+reference' ELSE '' END
       || CASE WHEN with_image THEN '+image' ELSE '' END, NULL, 'judge-kendall-tau', kendall_tau, n, NULL, NULL,
       judge, 'published', '', '', metric, printed_kendall_tau, '%', 'agreement of a judge with people, not a score'
FROM judge_validation;
