from flask import Flask
from flask_smorest import Api, Blueprint

app = Flask(__name__)
app.config.update(API_TITLE="Shop", API_VERSION="1", OPENAPI_VERSION="3.0.3")
api = Api(app)
bp = Blueprint("items", "items", url_prefix="/items")


@bp.route("/<int:id>")
def read_item(id):
    return {"id": id}


api.register_blueprint(bp)
