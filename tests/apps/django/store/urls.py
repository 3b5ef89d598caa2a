from django.urls import path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.response import Response
from rest_framework.views import APIView

from .api import api


class Items(APIView):
    @extend_schema(operation_id="read_item", responses={200: dict})
    def get(self, request, id):
        return Response({"id": id})


urlpatterns = [
    path("items/<int:id>", Items.as_view()),
    path("api/schema/", SpectacularAPIView.as_view()),
    path("ninja/", api.urls),
]
